import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cases of the records of one platform are found in the order of their age, however few they are among the others. */
export class CasesByPlatform1796000068000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create index ix_comparison_cases_platform
      on comparison_cases (customer_id, platform, opened_at, id) where platform is not null`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index ix_comparison_cases_platform');
  }
}
