import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What happens for a customer is noted in the transaction that makes it happen. Readers get it in an order that never changes: an
 * event gets its number after its commit, so that writers do not wait for a counter. A row is short, since the first load of a
 * platform notes one for each object, and has no foreign key, which would be checked row by row.
 */
export class Events1796000070000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `create table events (
    customer_id uuid not null,
    at timestamptz not null,
    cause_id uuid not null,
    place integer not null,
    sequence bigint,
    type text collate "C" not null,
    entity_type text collate "C",
    canonical_id text collate "C",
    data json,
    constraint pk_events primary key (customer_id, cause_id, place)
  )`,
  'create unique index uq_events_sequence on events (customer_id, sequence) where sequence is not null',
  'create index ix_events_unnumbered on events (customer_id, at, cause_id, place) where sequence is null',
  'create index ix_events_at on events (at, customer_id)',
  `create table event_feeds (
    customer_id uuid not null,
    last_sequence bigint not null,
    constraint pk_event_feeds primary key (customer_id),
    constraint fk_event_feeds_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  // The cases that began with a refresh are found when it is finished.
  'create index ix_comparison_cases_begin on comparison_cases (customer_id, valid_from)',
];

const down = ['drop index ix_comparison_cases_begin', 'drop table event_feeds', 'drop table events'];
