import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Queries for due work read only due rows along these indexes, and no rows of other customers. The times never change, or
 * change once for each run, so the indexes cost an entry for each row.
 */
export class DueWork1790991000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const { name, columns } of indexes) await queryRunner.query(`create index ${name} on ${columns}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of indexes) await queryRunner.query(`drop index ${name}`);
  }
}

const indexes = [
  { name: 'ix_changes_age', columns: 'changes (at, customer_id)' },
  { name: 'ix_propagations_made', columns: 'propagations (created_at, customer_id)' },
  { name: 'ix_idempotency_keys_made', columns: 'idempotency_keys (created_at, customer_id)' },
  { name: 'ix_deleted_records_age', columns: 'deleted_records (deleted_at, customer_id)' },
  { name: 'ix_sync_schedules_due', columns: 'sync_schedules (sync_due_at)' },
  {
    name: 'ix_sync_schedules_requested',
    columns: 'sync_schedules (sync_due_at) where requested_at is not null',
  },
];
