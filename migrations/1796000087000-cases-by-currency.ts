import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cases with an amount in one currency are found in the order of their age, however few they are among the others. */
export class CasesByCurrency1796000087000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const side of sides) {
      await queryRunner.query(`create index ix_comparison_cases_${side}_currency
        on comparison_cases (customer_id, ${side}_currency, opened_at, id) where ${side}_currency is not null`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const side of sides) await queryRunner.query(`drop index ix_comparison_cases_${side}_currency`);
  }
}

const sides = ['left', 'right'] as const;
