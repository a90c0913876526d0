import { ApiProperty } from '@nestjs/swagger';

export class HealthChecks {
  @ApiProperty({ enum: ['ok', 'fail'], description: 'Whether the database answers in time.' })
  readonly database: 'ok' | 'fail';
}

/** Whether the service can do its work. */
export class Health {
  @ApiProperty({ enum: ['ok', 'degraded'], description: '`degraded` when a check fails.' })
  readonly status: 'ok' | 'degraded';

  /** ISO 8601, UTC. */
  @ApiProperty({ type: 'string', format: 'date-time', description: 'When it was checked: ISO 8601, UTC.' })
  readonly timestamp: string;

  @ApiProperty({ type: HealthChecks })
  readonly checks: HealthChecks;
}
