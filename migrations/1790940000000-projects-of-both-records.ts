import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A record counts in the project that it names, so a comparison has a project for each of its records, and records of two
 * projects have cases. An earlier release still writes its own column; comparisons of another release are computed again.
 */
export class ProjectsOfBothRecords1790940000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table comparisons add column left_project_id text collate "C",
      add column right_project_id text collate "C"`);
    for (const statement of constraint(`'ambiguous', 'other_project'`)) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`delete from comparison_cases where kind = 'other_project'`);
    for (const statement of constraint(`'ambiguous'`)) await queryRunner.query(statement);
    await queryRunner.query(
      `alter table comparisons drop column left_project_id, drop column right_project_id`,
    );
  }
}

const constraint = (ambiguous: string): readonly string[] => [
  'alter table comparison_cases drop constraint ck_comparison_cases_kind',
  `alter table comparison_cases add constraint ck_comparison_cases_kind check
    ("kind" in ('disagreement', 'only_on', ${ambiguous}, 'unreadable', 'not_comparable'))`,
];
