import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * People assign cases, accept the differences of others, and write notes about them. A review is kept when the next one takes
 * its place, so statements of a time in the past show what was accepted then. A case has a digest of the values that it is
 * about: an acceptance holds for these values alone.
 */
export class CaseReviews1796000030000 implements MigrationInterface {
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
  `alter table comparison_cases add column values_digest text collate "C"`,
  `alter table case_versions add column values_digest text collate "C"`,
  `create table case_reviews (
    customer_id uuid not null,
    case_id text collate "C" not null,
    valid_from timestamptz not null,
    valid_until timestamptz,
    owner text collate "C",
    accepted_at timestamptz,
    accepted_reason text collate "C",
    accepted_by text collate "C",
    accepted_until timestamptz,
    accepted_until_given text collate "C",
    accepted_values text collate "C",
    ended_by text collate "C",
    constraint pk_case_reviews primary key (customer_id, case_id, valid_from),
    constraint ck_case_reviews_accepted check
      (num_nulls(accepted_at, accepted_reason, accepted_by, accepted_values) in (0, 4)),
    constraint ck_case_reviews_ended_by check ("ended_by" in ('taken_back', 'value_changed', 'closed')),
    ${ofCustomer('case_reviews')}
  )`,
  `create unique index uq_case_reviews_in_force on case_reviews (customer_id, case_id) where valid_until is null`,
  `create index ix_case_reviews_end on case_reviews (customer_id, valid_until)`,
  `create table case_notes (
    customer_id uuid not null,
    id uuid not null,
    case_id text collate "C" not null,
    at timestamptz not null,
    text text collate "C" not null,
    written_by text collate "C" not null,
    constraint pk_case_notes primary key (customer_id, id),
    ${ofCustomer('case_notes')}
  )`,
  `create index ix_case_notes_case on case_notes (customer_id, case_id, at)`,
  `create index ix_case_notes_at on case_notes (customer_id, at)`,
];

const down = [
  'drop table case_notes',
  'drop table case_reviews',
  'alter table case_versions drop column values_digest',
  'alter table comparison_cases drop column values_digest',
];
