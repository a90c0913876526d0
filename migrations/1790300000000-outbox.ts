import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Writes to remote platforms wait in an outbox. Until the platform has decided, the record that the write will make is stored
 * beside the known record. The history of a change says when it was decided.
 *
 * The count of an object's writes is dropped, because no code reads it.
 */
export class Outbox1790300000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `create table outbox_commands (
    customer_id uuid not null,
    id uuid not null,
    seq bigint generated always as identity,
    propagation_id uuid not null,
    position int not null,
    platform text collate "C" not null,
    entity_type text collate "C" not null,
    canonical_id text collate "C" not null,
    platform_id text collate "C",
    variant text collate "C",
    status text collate "C" not null,
    reason text collate "C",
    changes json not null,
    base json,
    referred json not null,
    predicted json not null,
    recording json not null,
    attempts int not null default 0,
    conflicts int not null default 0,
    not_before timestamptz not null default now(),
    sent_at timestamptz,
    lease_owner uuid,
    lease_until timestamptz,
    created_at timestamptz not null default now(),
    decided_at timestamptz,
    constraint pk_outbox_commands primary key (customer_id, id),
    constraint ck_outbox_commands_status check (status in
      ('waiting', 'sending', 'uncertain', 'applied', 'unchanged', 'rejected', 'skipped', 'held')),
    constraint fk_outbox_commands_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create index ix_outbox_commands_object on outbox_commands (customer_id, canonical_id, platform, seq)`,
  `create index ix_outbox_commands_propagation on outbox_commands (customer_id, propagation_id)`,
  // Commands that wait are few among those that were decided.
  `create index ix_outbox_commands_open on outbox_commands (customer_id, not_before) where decided_at is null`,
  `alter table platform_records add column accepted json`,
  `alter table propagations add column decided_at timestamptz, add column intent json`,
  `update propagations set decided_at = created_at`,
  `create index ix_propagations_age on propagations (customer_id, created_at)`,
  `alter table canonical_objects drop column revision`,
];

const down = [
  `alter table canonical_objects add column revision int not null default 1`,
  `drop index ix_propagations_age`,
  `alter table propagations drop column decided_at, drop column intent`,
  `alter table platform_records drop column accepted`,
  `drop table outbox_commands`,
];
