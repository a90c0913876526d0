import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { ConnectionMode } from '../platforms/connector';
import { connectionStatuses, type ConnectionStatus } from '../sync/run/connection-state';
import { ERROR_STATUS, type ErrorType } from '../common/errors/api-error';

const connectionModes = ['sandbox', 'live'] as const satisfies readonly ConnectionMode[];

const time = { format: 'date-time', pattern: '\\.\\d{3}Z$' } as const;

/** The plural of each type, by which a connect counts. */
export const plurals = {
  project: 'projects',
  customer: 'customers',
  contract: 'contracts',
  invoice: 'invoices',
  payment: 'payments',
} as const satisfies Record<StoredEntityType, string>;

/** The counts of a connect, by the plural of each type. */
export type EntityCounts = Record<(typeof plurals)[StoredEntityType], number>;

/** The same, described. */
@ApiSchema({ name: 'EntityCounts' })
class DescribedCounts implements EntityCounts {
  @ApiProperty({ type: 'integer', minimum: 0 })
  projects: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  customers: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  contracts: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  invoices: number;

  @ApiProperty({ type: 'integer', minimum: 0 })
  payments: number;
}

/** What a connect answers. */
export class ConnectResult {
  @ApiProperty({ enum: platformNames, description: 'The platform that was connected.' })
  readonly platform: PlatformName;

  @ApiProperty({
    enum: ['connected', 'connecting'],
    description:
      '`connecting`, with status 202, when the platform takes longer to read than an answer waits.',
  })
  readonly status: 'connected' | 'connecting';

  @ApiProperty({
    type: DescribedCounts,
    description:
      'How many records of each type the platform now has here; while connecting, how many were read.',
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
      'Whether everything was read. False while it is being read, when the reading failed, and when a part could not be read.',
  })
  readonly complete: boolean;

  @ApiProperty({ type: [String], description: 'Parts of the platform that could not be read.' })
  readonly gaps: readonly string[];

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Records that the platform does not have any more; they were marked as deleted.',
  })
  readonly deleted: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description:
      'Records that the platform does not seem to have any more, but so many at once that a person has to accept it. Until then they stay.',
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
      '`connecting` while a live platform is read for the first time: nothing of it is visible yet. `failing` when its last reading failed: what the last whole one has read stands.',
  })
  readonly status: ConnectionStatus;

  /** ISO 8601 with milliseconds, UTC: when the platform was first connected. */
  @ApiProperty({
    ...time,
    description:
      'When the platform was first connected: ISO 8601 with milliseconds, UTC. Until it is, when its reading began.',
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
    description: 'When a reading last became visible; null before the first.',
  })
  readonly last_synced_at: string | null;

  @ApiProperty({
    type: ConnectionSync,
    nullable: true,
    description: 'The last reading; null where none is known.',
  })
  readonly sync: ConnectionSync | null;

  @ApiProperty({
    type: ConnectionFailure,
    nullable: true,
    description: 'Why the last reading that ended has failed; null if it did not.',
  })
  readonly last_error: ConnectionFailure | null;
}

/** What is stored for a customer beside the records as they are now. */
@ApiSchema({ name: 'Storage' })
export class StorageRecord {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Bytes of history, as they were counted last.' })
  readonly history_bytes: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Bytes of answers that are kept under `Idempotency-Key`, as they were counted last.',
  })
  readonly kept_answers_bytes: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description:
      'Bytes that both may take together; null for no quota. Above it writes of a demo session are 429; for other customers the operator is told, and writes go on.',
  })
  readonly quota_bytes: number | null;
}

/** The connections of a customer. */
export class ConnectionList {
  @ApiProperty({ type: [ConnectionRecord], description: 'In order of precedence of the platforms.' })
  readonly connections: readonly ConnectionRecord[];

  @ApiProperty({ type: StorageRecord, description: 'What is stored beside the records as they are now.' })
  readonly storage: StorageRecord;
}
