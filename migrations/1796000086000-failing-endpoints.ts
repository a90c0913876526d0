import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What waits for a person includes endpoints at which deliveries fail. They are found without reading those that work. */
export class FailingEndpoints1796000086000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create index ix_webhook_endpoints_failing on webhook_endpoints (customer_id) where failing_since is not null`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index ix_webhook_endpoints_failing');
  }
}
