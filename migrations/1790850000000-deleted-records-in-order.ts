import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Listings show deleted records among the others, so these are read in the same order. */
export class DeletedRecordsInOrder1790850000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'create index ix_deleted_records_order on deleted_records (customer_id, platform, entity_type, native_order)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index ix_deleted_records_order');
  }
}
