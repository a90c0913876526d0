import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { ConnectionMode } from '../platforms/connector';
import { connectionStatuses, type ConnectionStatus } from '../sync/run/connection-state';
import { ERROR_STATUS, type ErrorType } from '../common/errors/api-error';

const connectionModes = ['sandbox', 'live'] as const satisfies readonly ConnectionMode[];

const time = { format: 'date-time', pattern: '\\.\\d{3}Z$' } as const;

/** The plural of each type, under which a connect counts its records. */
export const plurals = {
  project: 'projects',
  customer: 'customers',
  contract: 'contracts',
  invoice: 'invoices',
  payment: 'payments',
} as const satisfies Record<StoredEntityType, string>;

/** The counts of a connect, by the plural of each type. */
export type EntityCounts = Readonly<Record<(typeof plurals)[StoredEntityType], number>>;

/** The counts in the API's description: a member for the plural of each type. */
@ApiSchema({ name: 'EntityCounts' })
class DescribedCounts {}
const describeCount = ApiProperty({ type: 'integer', minimum: 0 });
for (const plural of Object.values(plurals)) describeCount(DescribedCounts.prototype, plural);

/** The response to a connect. */
export class ConnectResult {
  @ApiProperty({ enum: platformNames, description: 'The platform that was connected.' })
  readonly platform: PlatformName;

  @ApiProperty({
    enum: ['connected', 'connecting'],
    description:
      '`connecting`, with status 202, if reading the platform takes longer than the response waits.',
  })
  readonly status: 'connected' | 'connecting';

  @ApiProperty({
    type: DescribedCounts,
    description:
      'The number of stored records of the platform by type; while connecting, the number of records read.',
  })
  readonly entities: EntityCounts;

  @ApiProperty({
    enum: connectionModes,
    description: 'What is read: the platform itself, with the customer’s credentials, or its sandbox.',
  })
  readonly mode: ConnectionMode;
}

/** The last reading of a platform. */
export class ConnectionSync {
  @ApiProperty({ enum: ['running', 'done', 'failed'] })
  readonly status: 'running' | 'done' | 'failed';

  @ApiProperty({ ...time, description: 'When it began.' })
  readonly started_at: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Records that were read so far.' })
  readonly records_read: number;

  @ApiProperty({
    description:
      'Whether everything was read. False during the reading, after a failed reading, and if a part could not be read.',
  })
  readonly complete: boolean;

  @ApiProperty({ type: [String], description: 'Parts of the platform that could not be read.' })
  readonly gaps: readonly string[];

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Records that the platform no longer has; they were marked as deleted.',
  })
  readonly deleted: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description:
      'Records that the platform no longer seems to have, but too many at once: they stay until a person accepts their deletion.',
  })
  readonly deletions_held: number;
}

/** Why the last reading failed. */
@ApiSchema({ name: 'ConnectionError' })
export class ConnectionFailure {
  @ApiProperty({ enum: Object.keys(ERROR_STATUS) })
  readonly type: ErrorType;

  @ApiProperty()
  readonly message: string;
}

/** A connected platform, as it is listed. */
export class ConnectionRecord {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({
    enum: connectionStatuses,
    description:
      '`connecting` while a live platform is read for the first time: none of its records are visible yet. `failing` after a failed reading: the records of the last complete reading stay visible. A reading that ended because new credentials were stored does not count, except before the first one is published.',
  })
  readonly status: ConnectionStatus;

  /** When the platform was first connected: ISO 8601 with milliseconds, UTC. */
  @ApiProperty({
    ...time,
    description:
      'When the platform was first connected, or while it is connecting, when the reading began: ISO 8601 with milliseconds, UTC.',
  })
  readonly connected_at: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Records of the platform at the last connect.' })
  readonly entities_synced: number;

  @ApiProperty({
    enum: connectionModes,
    description: 'What is read: the platform itself, with the customer’s credentials, or its sandbox.',
  })
  readonly mode: ConnectionMode;

  @ApiProperty({
    type: String,
    ...time,
    nullable: true,
    description: 'When a reading was last published; null before the first.',
  })
  readonly last_synced_at: string | null;

  @ApiProperty({
    type: ConnectionSync,
    nullable: true,
    description: 'The last reading; null if none is known.',
  })
  readonly sync: ConnectionSync | null;

  @ApiProperty({
    type: ConnectionFailure,
    nullable: true,
    description: 'Why the last finished reading failed; null if it succeeded.',
  })
  readonly last_error: ConnectionFailure | null;
}

/** The customer’s storage beside the present records. */
@ApiSchema({ name: 'Storage' })
export class StorageRecord {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Bytes of history at the last count.' })
  readonly history_bytes: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Bytes of answers kept under `Idempotency-Key`, at the last count.',
  })
  readonly kept_answers_bytes: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description:
      'Maximum of both together, in bytes; null without a quota. Above it, writes of a demo session get 429. For other customers the operator is alerted and writes continue.',
  })
  readonly quota_bytes: number | null;
}

/** The connections of a customer. */
export class ConnectionList {
  @ApiProperty({ type: [ConnectionRecord], description: 'In order of precedence of the platforms.' })
  readonly connections: readonly ConnectionRecord[];

  @ApiProperty({ type: StorageRecord, description: 'The storage used in addition to the present records.' })
  readonly storage: StorageRecord;
}
