import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Open cases are counted where they are written, so that the first page of a list need not read all of them. The counts of a
 * customer hold while `counted_until` is `lease_until`: until then, and after a write of a release without counts, lists count
 * the cases themselves.
 */
export class CaseCounts1796000071000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table case_counts (
        customer_id uuid not null,
        left_platform text collate "C" not null,
        right_platform text collate "C" not null,
        kind text collate "C" not null,
        entity_type text collate "C" not null,
        platform text collate "C" not null,
        field text collate "C" not null,
        project_id text collate "C" not null,
        left_currency text collate "C" not null,
        right_currency text collate "C" not null,
        opened_hour timestamptz not null,
        cases int not null,
        constraint pk_case_counts primary key (customer_id, left_platform, right_platform, kind, entity_type,
          platform, field, project_id, left_currency, right_currency, opened_hour),
        constraint fk_case_counts_customer foreign key (customer_id) references customers (id) on delete cascade
      )`);
    await queryRunner.query('alter table comparison_states add column counted_until timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table comparison_states drop column counted_until');
    await queryRunner.query('drop table case_counts');
  }
}
