import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * People sign the figures of a statement. A sign-off keeps the figures, so that it can be compared line by line with what is
 * known later. A name stands under a digest at most once: nobody reviews what they prepared.
 */
export class StatementSignoffs1796000040000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table statement_signoffs');
  }
}

const up = [
  `create table statement_signoffs (
    customer_id uuid not null,
    id uuid not null,
    role text collate "C" not null,
    digest text collate "C" not null,
    as_of timestamptz not null,
    left_platform text collate "C" not null,
    right_platform text collate "C" not null,
    entity_type text collate "C",
    project_id text collate "C",
    currency text collate "C" not null,
    through date,
    signed_by text collate "C" not null,
    signed_by_key text collate "C" not null,
    note text collate "C",
    figures jsonb not null,
    signed_at timestamptz not null,
    withdrawn_at timestamptz,
    withdrawn_reason text collate "C",
    withdrawn_by text collate "C",
    constraint pk_statement_signoffs primary key (customer_id, id),
    constraint ck_statement_signoffs_role check ("role" in ('prepared', 'reviewed')),
    constraint ck_statement_signoffs_withdrawn check
      (num_nulls(withdrawn_at, withdrawn_reason, withdrawn_by) in (0, 3)),
    constraint fk_statement_signoffs_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create unique index uq_statement_signoffs_name on statement_signoffs (customer_id, digest, signed_by_key)
    where withdrawn_at is null`,
  `create index ix_statement_signoffs_time on statement_signoffs (customer_id, signed_at, id)`,
];
