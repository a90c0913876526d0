import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A sign-off remembers whether its figures were last found to have changed, so that the event about it is told once. */
export class OutdatedSignoffs1796000072000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table statement_signoffs add column is_outdated boolean not null default false',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table statement_signoffs drop column is_outdated');
  }
}
