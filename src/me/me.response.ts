import type { PlatformName } from '@app/mapper';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { KEY_MODES, type KeyMode } from '../auth/keys/api-key';
import { PERMISSIONS, type Permission } from '../auth/keys/permissions';
import type { ConnectionMode } from '../platforms/connector';
import { connectionStatuses, type ConnectionStatus } from '../sync/run/connection-state';
import { ForEachPlatform } from '../common/openapi/for-each-platform.decorator';

/** The customer of the key. */
@ApiSchema({ name: 'CallerCustomer' })
class CallerCustomer {
  @ApiProperty({ format: 'uuid' })
  readonly id: string;

  @ApiProperty()
  readonly name: string;

  @ApiProperty({
    description: 'IANA name of the time zone in which the customer’s days begin and end.',
    example: 'Asia/Qatar',
  })
  readonly time_zone: string;
}

/** The key of the request. */
@ApiSchema({ name: 'CallerKey' })
class CallerKey {
  @ApiProperty({ type: String, nullable: true, description: 'What the operator calls the key.' })
  readonly label: string | null;

  @ApiProperty({ enum: KEY_MODES })
  readonly mode: KeyMode;

  @ApiProperty({ enum: PERMISSIONS, isArray: true, description: 'What the key may do.' })
  readonly permissions: readonly Permission[];
}

/** The state of the connection to a platform. */
@ApiSchema({ name: 'PlatformState' })
class PlatformState {
  @ApiProperty({
    enum: ['sandbox', 'live'],
    description: 'What is read: the platform itself, with the customer’s credentials, or its sandbox.',
  })
  readonly mode: ConnectionMode;

  @ApiProperty({ enum: connectionStatuses, description: 'As in `GET /connections`.' })
  readonly status: ConnectionStatus;
}

/** How connections stand, by platform. */
@ForEachPlatform(ApiPropertyOptional({ type: PlatformState }))
class PlatformStates {}

/** How many items a page of a list may hold. */
@ApiSchema({ name: 'PageSizes' })
class PageSizes {
  @ApiProperty({ type: 'integer', description: 'The page size without `limit`.' })
  readonly usual: number;

  @ApiProperty({ type: 'integer', description: 'The largest `limit`.' })
  readonly most: number;
}

/** The limits in force for the caller. */
@ApiSchema({ name: 'Limits' })
class Limits {
  @ApiProperty({ type: 'integer', description: 'Largest body of a request, in bytes.' })
  readonly body_bytes: number;

  @ApiProperty({ type: PageSizes })
  readonly page_size: PageSizes;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'How much history and kept answers may take, in bytes; null without a quota. `GET /connections` shows how much they take.',
  })
  readonly storage_quota_bytes: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How long history is kept, in seconds; null if it is kept for ever.',
  })
  readonly history_seconds: number | null;

  @ApiProperty({
    type: 'integer',
    description: 'How long the answer to an `Idempotency-Key` is kept, in seconds.',
  })
  readonly idempotency_key_seconds: number;

  @ApiProperty({
    type: 'integer',
    description: 'How many answers are kept under `Idempotency-Key` at a time.',
  })
  readonly idempotency_keys: number;

  @ApiProperty({
    description:
      'How long `POST /connect` waits for the end of the reading, in seconds; then it answers 202.',
  })
  readonly connect_wait_seconds: number;

  @ApiProperty({
    description:
      'How long `POST /propagate` waits for platforms, in seconds; what they have not confirmed by then is `pending`.',
  })
  readonly propagate_wait_seconds: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Age at which a demo session is removed, in seconds; null if it is never removed, and for other customers.',
  })
  readonly demo_session_seconds: number | null;
}

/** Who is calling, and what the caller may do. */
@ApiSchema({ name: 'Me' })
export class MeResponse {
  @ApiProperty({ type: CallerCustomer })
  readonly customer: CallerCustomer;

  @ApiProperty({ type: CallerKey })
  readonly key: CallerKey;

  @ApiProperty({
    type: [String],
    description:
      'ISO 4217 codes, in alphabetical order: the currencies of the connections, and of the rates agreed with the customer.',
  })
  readonly currencies: readonly string[];

  @ApiProperty({
    type: PlatformStates,
    description: 'The connected platforms. One that is not connected is absent.',
  })
  readonly platforms: Readonly<Partial<Record<PlatformName, PlatformState>>>;

  @ApiProperty({ type: Limits })
  readonly limits: Limits;
}
