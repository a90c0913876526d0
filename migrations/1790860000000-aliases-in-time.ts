import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An alias has the time since when it is one and the object into which its own was merged. An open write has the object that it
 * was made for. Changes to the placement of a deleted record are kept. So reads as of a time find which records belonged
 * together then.
 *
 * The time of an existing alias is taken from the versions that its merge ended. If none is kept, it counts as an alias from
 * the beginning.
 */
export class AliasesInTime1790860000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  // The release before writes neither column. Its aliases then begin with their transaction.
  `alter table canonical_aliases
    add column merged_into text collate "C",
    add column since timestamptz default now()`,
  `update canonical_aliases set merged_into = canonical_id, since = null`,
  `update canonical_aliases a set since = v.ended_at
   from (
     select customer_id, canonical_id, max(until) as ended_at from record_versions group by customer_id, canonical_id
   ) v
   where v.customer_id = a.customer_id and v.canonical_id = a.alias_id`,
  `create table absent_moves (
    customer_id uuid not null,
    platform text collate "C" not null,
    entity_type text collate "C" not null,
    platform_id text collate "C" not null,
    placement text collate "C" not null,
    at timestamptz not null,
    canonical_id text collate "C" not null,
    constraint pk_absent_moves primary key (customer_id, platform, entity_type, platform_id, placement, at),
    constraint fk_absent_moves_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `alter table outbox_commands add column made_for text collate "C"`,
  `create index ix_absent_moves_object on absent_moves (customer_id, canonical_id)`,
];

const down = [
  `alter table outbox_commands drop column made_for`,
  `drop table absent_moves`,
  `alter table canonical_aliases drop column since, drop column merged_into`,
];
