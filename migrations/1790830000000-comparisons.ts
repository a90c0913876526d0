import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The comparison of each object for each pair of platforms, and its cases. All of it is computed from the records and can be
 * rebuilt at any time, so it refers only to the customer.
 *
 * The index of changed records is a summary of blocks: it costs a load next to nothing and still finds what is new.
 */
export class Comparisons1790830000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const ofCustomer = (table: string): string =>
  `constraint fk_${table}_customer foreign key (customer_id) references customers (id) on delete cascade`;

const up = [
  `create table comparison_states (
    customer_id uuid not null,
    fingerprint text collate "C" not null,
    changed_until timestamptz not null,
    walked text collate "C",
    lease_owner uuid,
    lease_until timestamptz not null default now(),
    constraint pk_comparison_states primary key (customer_id),
    ${ofCustomer('comparison_states')}
  )`,
  `create table stale_comparisons (
    customer_id uuid not null,
    object_id text collate "C" not null,
    constraint pk_stale_comparisons primary key (customer_id, object_id),
    ${ofCustomer('stale_comparisons')}
  )`,
  `create table comparisons (
    customer_id uuid not null,
    object_id text collate "C" not null,
    left_platform text collate "C" not null,
    right_platform text collate "C" not null,
    entity_type text collate "C" not null,
    state text collate "C" not null,
    amounts text collate "C",
    left_amount bigint,
    left_currency text collate "C",
    right_amount bigint,
    right_currency text collate "C",
    project_id text collate "C",
    opened_at timestamptz,
    constraint pk_comparisons primary key (customer_id, object_id, left_platform, right_platform),
    constraint ck_comparisons_state check
      ("state" in ('agree', 'disagree', 'only_left', 'only_right', 'ambiguous_left', 'ambiguous_right')),
    constraint ck_comparisons_amounts check ("amounts" in ('equal', 'differ', 'no_rate')),
    ${ofCustomer('comparisons')}
  )`,
  `create table comparison_cases (
    customer_id uuid not null,
    id text collate "C" not null,
    object_id text collate "C" not null,
    left_platform text collate "C" not null,
    right_platform text collate "C" not null,
    kind text collate "C" not null,
    entity_type text collate "C" not null,
    platform text collate "C",
    platform_id text collate "C",
    field text collate "C",
    project_id text collate "C",
    left_currency text collate "C",
    right_currency text collate "C",
    difference bigint,
    weight bigint not null,
    opened_at timestamptz not null,
    detail json not null,
    constraint pk_comparison_cases primary key (customer_id, id),
    constraint ck_comparison_cases_kind check
      ("kind" in ('disagreement', 'only_on', 'ambiguous', 'unreadable', 'not_comparable')),
    ${ofCustomer('comparison_cases')}
  )`,
  `create index ix_comparison_cases_object on comparison_cases (customer_id, object_id)`,
  `create index ix_comparison_cases_age on comparison_cases (customer_id, opened_at, id)`,
  `create index ix_comparison_cases_weight on comparison_cases (customer_id, weight, id)`,
  `create index ix_platform_records_since on platform_records using brin (customer_id, since) with (pages_per_range = 32)`,
];

const down = [
  `drop index ix_platform_records_since`,
  `drop table comparison_cases`,
  `drop table comparisons`,
  `drop table stale_comparisons`,
  `drop table comparison_states`,
];
