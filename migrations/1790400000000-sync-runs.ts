import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A connect is a run: a row that any instance can see, join and take over. The records that a run has read wait in staging
 * tables until one short transaction makes them visible.
 *
 * The staging tables are unlogged, and so is the table of the checkpoints: after a crash of the server both are empty, and a
 * run that was under way reads again from the beginning. They have no foreign keys, whose checks would cost more than the rows;
 * the code that ends a run or deletes a customer also deletes their rows, and a sweep deletes the remaining ones.
 */
export class SyncRuns1790400000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table platform_records drop column written_at');
    for (const table of tables.toReversed()) await queryRunner.query(`drop table ${table}`);
  }
}

const tables = [
  'sync_runs',
  'sync_checkpoints',
  'staged_records',
  'staged_placements',
  'staged_links',
  'staged_merges',
];

const up = [
  `create table sync_runs (
    customer_id uuid not null,
    id uuid not null,
    platform text collate "C" not null,
    status text collate "C" not null,
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    lease_owner uuid not null,
    lease_until timestamptz not null,
    reading_since timestamptz,
    counts json not null default '{}',
    result json,
    error json,
    constraint pk_sync_runs primary key (customer_id, id),
    constraint ck_sync_runs_status check (status in ('running', 'done', 'failed')),
    constraint fk_sync_runs_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  // Records that were written after a run began to read are newer than the run's.
  `alter table platform_records add column written_at timestamptz`,
  `create unique index uq_sync_runs_running on sync_runs (customer_id, platform) where status = 'running'`,

  `create unlogged table sync_checkpoints (
    customer_id uuid not null,
    run_id uuid not null,
    scope text collate "C" not null,
    position json,
    complete boolean,
    records int not null,
    without_id int not null,
    unreadable_fields int not null,
    constraint pk_sync_checkpoints primary key (customer_id, run_id, scope)
  )`,

  `create unlogged table staged_records (
    customer_id uuid not null,
    run_id uuid not null,
    entity_type text collate "C" not null,
    seq int not null,
    platform_id text collate "C" not null,
    native_order text collate "C" not null,
    variant text collate "C",
    currency text collate "C",
    business_key text collate "C",
    number text collate "C",
    project_ref text collate "C",
    customer_ref text collate "C",
    contract_ref text collate "C",
    invoice_ref text collate "C",
    payload json not null,
    modified_at text collate "C",
    own_id text collate "C" not null,
    constraint pk_staged_records primary key (customer_id, run_id, entity_type, seq)
  )`,

  `create unlogged table staged_placements (
    customer_id uuid not null,
    run_id uuid not null,
    entity_type text collate "C" not null,
    platform_id text collate "C" not null,
    business_key text collate "C",
    own_id text collate "C" not null,
    named_in text collate "C",
    canonical_id text collate "C",
    project_canonical_id text collate "C",
    customer_canonical_id text collate "C",
    contract_canonical_id text collate "C",
    invoice_canonical_id text collate "C",
    constraint pk_staged_placements primary key (customer_id, run_id, entity_type, platform_id)
  )`,

  `create unlogged table staged_links (
    customer_id uuid not null,
    run_id uuid not null,
    entity_type text collate "C" not null,
    platform text collate "C" not null,
    platform_id text collate "C" not null,
    business_key text collate "C" not null,
    parent text collate "C" not null,
    canonical_id text collate "C" not null,
    platforms text[] collate "C" not null,
    constraint pk_staged_links primary key (customer_id, run_id, entity_type, platform, platform_id)
  )`,

  `create unlogged table staged_merges (
    customer_id uuid not null,
    run_id uuid not null,
    entity_type text collate "C" not null,
    goes text collate "C" not null,
    stays text collate "C" not null,
    round int not null,
    platforms text[] collate "C" not null,
    constraint pk_staged_merges primary key (customer_id, run_id, entity_type, goes)
  )`,
];
