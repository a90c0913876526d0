import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';

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
}

/** A connected platform, as it is listed. */
export class ConnectionRecord {
  @ApiProperty({ enum: platformNames })
  readonly platform: PlatformName;

  @ApiProperty({ enum: ['active'] })
  readonly status: 'active';

  /** ISO 8601 with milliseconds, UTC: when the platform was first connected. */
  @ApiProperty({
    format: 'date-time',
    pattern: '\\.\\d{3}Z$',
    description: 'When the platform was first connected: ISO 8601 with milliseconds, UTC.',
  })
  readonly connected_at: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Records of the platform at the last connect.' })
  readonly entities_synced: number;
}

/** The connections of a customer. */
export class ConnectionList {
  @ApiProperty({ type: [ConnectionRecord], description: 'In order of precedence of the platforms.' })
  readonly connections: readonly ConnectionRecord[];
}
