import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who agreed to a rate, a precedence or a rule, and why, stands with it. Nobody knows of those that there are. */
export class ReasonsOfTerms1796000022000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['exchange_rates', 'customer_terms']) {
      await queryRunner.query(
        `alter table ${table} add column reason text collate "C", add column decided_by text collate "C"`,
      );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['exchange_rates', 'customer_terms']) {
      await queryRunner.query(`alter table ${table} drop column reason, drop column decided_by`);
    }
  }
}
