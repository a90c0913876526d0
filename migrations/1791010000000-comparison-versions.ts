import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Comparisons and cases are kept when others replace them, with the marks of the refreshes between which they were in force.
 * So the past is read, not compared anew. A case that has no row any more is closed, and stays readable.
 *
 * Rows that an earlier release made have no `valid_from` and no digest: they are compared anew once, and no version of them
 * is kept.
 */
export class ComparisonVersions1791010000000 implements MigrationInterface {
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
  `alter table comparisons
    add column left_date date,
    add column right_date date,
    add column left_due date,
    add column right_due date,
    add column digest text collate "C",
    add column valid_from timestamptz`,
  `alter table comparison_cases
    add column document_date date,
    add column due_date date,
    add column document_since timestamptz,
    add column due_since timestamptz,
    add column listed_from date,
    add column listed_before date,
    add column digest text collate "C",
    add column valid_from timestamptz`,
  `create index ix_comparison_cases_document on comparison_cases (customer_id, document_since, id)`,
  `create index ix_comparison_cases_due on comparison_cases (customer_id, due_since, id)`,
  `create table comparison_marks (
    customer_id uuid not null,
    mark timestamptz not null,
    read_until timestamptz not null,
    terms text collate "C" not null,
    currencies json not null,
    constraint pk_comparison_marks primary key (customer_id, mark),
    ${ofCustomer('comparison_marks')}
  )`,
  `create table comparison_versions (
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
    left_project_id text collate "C",
    right_project_id text collate "C",
    left_date date,
    right_date date,
    left_due date,
    right_due date,
    opened_at timestamptz,
    valid_from timestamptz not null,
    valid_until timestamptz not null,
    constraint pk_comparison_versions primary key (customer_id, valid_until, object_id, left_platform, right_platform),
    ${ofCustomer('comparison_versions')}
  )`,
  `create table case_versions (
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
    document_date date,
    due_date date,
    document_since timestamptz not null,
    due_since timestamptz not null,
    listed_from date,
    listed_before date,
    detail json not null,
    valid_from timestamptz not null,
    valid_until timestamptz not null,
    closed_at timestamptz,
    closed_by text collate "C",
    closed_by_id uuid,
    constraint pk_case_versions primary key (customer_id, id, valid_until),
    constraint ck_case_versions_closed_by check
      ("closed_by" in ('propagation', 'decision', 'run', 'record_gone', 'terms')),
    ${ofCustomer('case_versions')}
  )`,
  `create index ix_comparison_marks_mark on comparison_marks (mark, customer_id)`,
  `create index ix_case_versions_end on case_versions (customer_id, valid_until, id)`,
  `create index ix_case_versions_closed on case_versions (customer_id, closed_at, id) where closed_at is not null`,
  `create index ix_record_versions_begin on record_versions (customer_id, since)`,
];

const down = [
  `drop index ix_record_versions_begin`,
  `drop table case_versions`,
  `drop table comparison_versions`,
  `drop table comparison_marks`,
  `alter table comparison_cases
    drop column document_date, drop column due_date, drop column document_since, drop column due_since,
    drop column listed_from, drop column listed_before, drop column digest, drop column valid_from`,
  `alter table comparisons
    drop column left_date, drop column right_date, drop column left_due, drop column right_due, drop column digest,
    drop column valid_from`,
];
