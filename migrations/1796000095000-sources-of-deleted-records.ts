import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A deleted record keeps where it was read from, because it returns to its object only from there. Records that were deleted
 * before stay without a source: the settings of a connection did not outlast a reading of the sandbox, so some of these
 * records may be those of another company.
 */
export class SourcesOfDeletedRecords1796000095000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table deleted_records add column source text collate "C"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table deleted_records drop column source');
  }
}
