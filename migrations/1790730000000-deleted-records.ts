import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A stored record counts the whole readings of its platform that did not have it. A deleted record moves to its own table, so
 * the statements that list, match or change records do not see it. It can move back unchanged.
 */
export class DeletedRecords1790730000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `alter table platform_records
    add column missed int not null default 0,
    add column missing_since timestamptz`,
  `create index ix_platform_records_missed on platform_records (customer_id, platform, entity_type) where missed > 0`,
  `create table deleted_records (
    customer_id uuid not null,
    platform text collate "C" not null,
    entity_type text collate "C" not null,
    platform_id text collate "C" not null,
    native_order text collate "C" not null,
    canonical_id text collate "C" not null,
    variant text collate "C",
    currency text collate "C",
    business_key text collate "C",
    number text collate "C",
    project_ref text collate "C",
    customer_ref text collate "C",
    contract_ref text collate "C",
    invoice_ref text collate "C",
    project_canonical_id text collate "C",
    customer_canonical_id text collate "C",
    contract_canonical_id text collate "C",
    invoice_canonical_id text collate "C",
    payload json not null,
    modified_at text collate "C",
    digest text collate "C",
    deleted_at timestamptz not null default now(),
    constraint pk_deleted_records primary key (customer_id, platform, entity_type, platform_id),
    constraint fk_deleted_records_object foreign key (customer_id, canonical_id)
      references canonical_objects (customer_id, id) on delete cascade
  )`,
  `create index ix_deleted_records_object on deleted_records (customer_id, canonical_id)`,
];

const down = [
  `drop table deleted_records`,
  `drop index ix_platform_records_missed`,
  `alter table platform_records drop column missed, drop column missing_since`,
];
