import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A decision whose records were replaced, because their platform is read from another source, keeps where they were read from.
 * The service makes it again when they are read from there.
 */
export class SourcesOfDecisions1796000096000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `alter table reconciliation_decisions add column source text collate "C", add column other_source text collate "C",
         add column renewed_at timestamptz`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table reconciliation_decisions drop column renewed_at, drop column other_source, drop column source',
    );
  }
}
