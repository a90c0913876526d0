import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records from which others inherit are found by when they changed, however many payments changed since. So a list of what changed
 * knows which inherited values can be others.
 */
export class ParentsByTime1796000093000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, column] of times) {
      await queryRunner.query(`create index ix_${table}_parents on ${table} (customer_id, entity_type, ${column})
        where entity_type in ('project', 'customer', 'contract', 'invoice')`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table] of times) await queryRunner.query(`drop index ix_${table}_parents`);
  }
}

const times = [
  ['platform_records', 'since'],
  ['record_versions', 'until'],
] as const;
