import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Listings are ordered by number and by amount too. The index of keys gets the native IDs behind the keys, so that a page
 * begins in the middle of records with the same key or with none; it serves matching as before. The amount has a column and
 * an index of its own. The index of a contract's invoices holds its payments too, which belong to the contract's project.
 */
export class SortedRecords1796000060000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const tables = ['platform_records', 'staged_records', 'deleted_records', 'record_versions'];
const key = 'create index ix_platform_records_key on platform_records';

const invoices = 'create index ix_platform_records_invoices on platform_records';

const up = [
  // Runs under way read again: what they have staged has no amounts.
  `delete from staged_records`,
  `delete from sync_checkpoints`,
  ...tables.map((table) => `alter table ${table} add column amount_order text collate "C"`),
  `create index ix_platform_records_amount on platform_records (
    customer_id, platform, entity_type, coalesce(amount_order, ''), platform_id)`,
  `drop index ix_platform_records_key`,
  `${key} (customer_id, platform, entity_type, business_key, platform_id)`,
  `drop index ix_platform_records_invoices`,
  `create index ix_platform_records_contract on platform_records (customer_id, contract_canonical_id, entity_type)
    where contract_canonical_id is not null`,
];

const down = [
  `drop index ix_platform_records_contract`,
  `${invoices} (customer_id, contract_canonical_id) where entity_type = 'invoice'`,
  `drop index ix_platform_records_key`,
  `${key} (customer_id, platform, entity_type, business_key)`,
  `drop index ix_platform_records_amount`,
  ...tables.map((table) => `alter table ${table} drop column amount_order`),
];
