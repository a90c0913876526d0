import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Cases of one type, kind, field or project are found in the order of their age, however few they are among the others. So are
 * closed ones, which `state=all` lists between those that are open.
 */
export class OrdersOfCases1796000062000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, column, where] of indexes) {
      await queryRunner.query(
        `create index ix_comparison_cases_${name} on comparison_cases (customer_id, ${column}, opened_at, id) ${where}`,
      );
    }
    await queryRunner.query(`create index ix_case_versions_opened on case_versions (customer_id, opened_at, id)
      where closed_at is not null`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index ix_case_versions_opened');
    for (const [name] of indexes) await queryRunner.query(`drop index ix_comparison_cases_${name}`);
  }
}

const indexes = [
  ['type', 'entity_type', ''],
  ['kind', 'kind', ''],
  ['field', 'field', 'where field is not null'],
  ['project', 'project_id', 'where project_id is not null'],
] as const;
