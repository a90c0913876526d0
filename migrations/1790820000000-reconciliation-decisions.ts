import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * People decide that two records are the same, or are not. A decision names records by their native IDs, so it outlives
 * objects. It stands until it is withdrawn, and is kept after that. At most one decision about a pair stands at a time.
 *
 * The evidence of a link is looked up as of the time of the link: which records had the key then.
 *
 * The staging tables of matching get two columns for decisions. They are null for a customer without decisions.
 */
export class ReconciliationDecisions1790820000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `create table reconciliation_decisions (
    customer_id uuid not null,
    id uuid not null,
    decision text collate "C" not null,
    entity_type text collate "C" not null,
    platform text collate "C" not null,
    platform_id text collate "C" not null,
    other_platform text collate "C" not null,
    other_platform_id text collate "C" not null,
    reason text collate "C" not null,
    decided_by text collate "C" not null,
    decided_at timestamptz not null,
    withdrawn_at timestamptz,
    withdrawn_reason text collate "C",
    withdrawn_by text collate "C",
    constraint pk_reconciliation_decisions primary key (customer_id, id),
    constraint ck_reconciliation_decisions_decision check ("decision" in ('link', 'not_same')),
    constraint fk_reconciliation_decisions_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create unique index uq_reconciliation_decisions_standing on reconciliation_decisions
    (customer_id, entity_type, platform, platform_id, other_platform, other_platform_id) where withdrawn_at is null`,
  `create index ix_reconciliation_decisions_other on reconciliation_decisions
    (customer_id, entity_type, other_platform, other_platform_id) where withdrawn_at is null`,
  `create index ix_reconciliation_decisions_pair on reconciliation_decisions
    (customer_id, entity_type, platform, platform_id, other_platform, other_platform_id)`,
  `create index ix_reconciliation_decisions_time on reconciliation_decisions (customer_id, decided_at, id)`,
  `create index ix_record_versions_key on record_versions (customer_id, entity_type, business_key)`,
  `alter table staged_links add column units text[] collate "C", add column against text[] collate "C"`,
  `alter table staged_merges add column units text[] collate "C", add column against text[] collate "C"`,
];

const down = [
  `alter table staged_merges drop column units, drop column against`,
  `alter table staged_links drop column units, drop column against`,
  `drop index ix_record_versions_key`,
  `drop table reconciliation_decisions`,
];
