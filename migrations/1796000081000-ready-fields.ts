import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The feed tells when an own field is ready, once for each definition. So a reading names the definition for which that was told.
 * Readings that were ready before are not told.
 */
export class ReadyFields1796000081000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  'alter table field_readings add column ready_since timestamptz',
  `update field_readings f set ready_since = f.since where f.done_at is not null and (
    select count(*) from due_comparisons d where d.customer_id = f.customer_id and d.since <= f.since
  ) = 0`,
  'drop index ix_field_readings_due',
  `create index ix_field_readings_due on field_readings (customer_id) where ready_since is distinct from since`,
];

const down = [
  'drop index ix_field_readings_due',
  'create index ix_field_readings_due on field_readings (customer_id) where done_at is null',
  'alter table field_readings drop column ready_since',
];
