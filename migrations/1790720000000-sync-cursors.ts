import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A live platform is read again and again, so a run need not read all of it. For each scope a cursor says from where the next
 * run reads changes. The table is logged, unlike the checkpoints of a run, because a lost cursor costs a whole reading. A
 * cursor is valid only for the mode and the settings that it was read with.
 *
 * A schedule says when a connection is due. A request to read soon is a time in its row, so many requests become one run.
 *
 * A run stores its request and its results, so that an instance that takes it over continues in the same way.
 */
export class SyncCursors1790720000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `alter table sync_runs
    add column whole boolean not null default true,
    add column accept_deletions boolean not null default false,
    add column settings_changed_at timestamptz,
    add column report json`,
  `alter table sync_checkpoints
    add column since json,
    add column cursor json,
    add column gaps json not null default '[]',
    add column calls int not null default 0,
    add column limited int not null default 0`,
  `create table sync_cursors (
    customer_id uuid not null,
    platform text collate "C" not null,
    scope text collate "C" not null,
    mode text collate "C" not null,
    settings_changed_at timestamptz,
    position json not null,
    constraint pk_sync_cursors primary key (customer_id, platform, scope),
    constraint ck_sync_cursors_mode check (mode in ('sandbox', 'live')),
    constraint fk_sync_cursors_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create table sync_schedules (
    customer_id uuid not null,
    platform text collate "C" not null,
    sync_due_at timestamptz not null,
    requested_at timestamptz,
    whole boolean not null default false,
    whole_at timestamptz,
    failures int not null default 0,
    not_before timestamptz,
    constraint pk_sync_schedules primary key (customer_id, platform),
    constraint fk_sync_schedules_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
];

const down = [
  `drop table sync_schedules`,
  `drop table sync_cursors`,
  `alter table sync_checkpoints
    drop column since, drop column cursor, drop column gaps, drop column calls, drop column limited`,
  `alter table sync_runs
    drop column whole, drop column accept_deletions, drop column settings_changed_at, drop column report`,
];
