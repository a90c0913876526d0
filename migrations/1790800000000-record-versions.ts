import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A stored record has the time and the change of its present state. States that a change replaces or removes are kept, so that
 * everything can be read as of a time.
 */
export class RecordVersions1790800000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `alter table platform_records
    add column since timestamptz not null default now(),
    add column changed_by uuid`,
  `alter table canonical_objects add column extra_since timestamptz`,
  `create table changes (
    customer_id uuid not null,
    id uuid not null,
    at timestamptz not null,
    origin text collate "C" not null,
    platform text collate "C",
    propagation_id uuid,
    request_id text collate "C",
    decision_id uuid,
    detail json,
    constraint pk_changes primary key (customer_id, id),
    constraint ck_changes_origin check ("origin" in ('run', 'propagation', 'outcome', 'decision', 'terms')),
    constraint fk_changes_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create index ix_changes_time on changes (customer_id, at)`,
  `create table record_versions (
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
    accepted json,
    modified_at text collate "C",
    digest text collate "C",
    since timestamptz not null,
    changed_by uuid,
    until timestamptz not null,
    ended_by uuid,
    constraint pk_record_versions primary key (customer_id, platform, entity_type, platform_id, since),
    constraint fk_record_versions_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create index ix_record_versions_object on record_versions (customer_id, canonical_id, since)`,
  `create index ix_record_versions_end on record_versions (customer_id, until)`,
  `create table extra_versions (
    customer_id uuid not null,
    canonical_id text collate "C" not null,
    extra json not null,
    since timestamptz,
    until timestamptz not null,
    ended_by uuid,
    constraint pk_extra_versions primary key (customer_id, canonical_id, until),
    constraint fk_extra_versions_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
];

const down = [
  `drop table extra_versions`,
  `drop table record_versions`,
  `drop table changes`,
  `alter table canonical_objects drop column extra_since`,
  `alter table platform_records drop column since, drop column changed_by`,
];
