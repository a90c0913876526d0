import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cases in the order of their type come by an index also where their age counts from a document's date, or from when it is due. */
export class TypesOfCasesByDate1796000091000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const by of ages) {
      await queryRunner.query(`create index ix_comparison_cases_type_${by}
        on comparison_cases (customer_id, entity_type, ${by}_since, id)`);
      await queryRunner.query(`create index ix_case_versions_type_${by}
        on case_versions (customer_id, entity_type, ${by}_since, id) where closed_at is not null`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const by of ages) {
      await queryRunner.query(`drop index ix_case_versions_type_${by}`);
      await queryRunner.query(`drop index ix_comparison_cases_type_${by}`);
    }
  }
}

const ages = ['document', 'due'] as const;
