import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Checks of webhooks are found by their time. Each live connection has a schedule, also while the service has no public
 * address, so that a look for due checks compares no connections.
 */
export class DueWebhooks1796000063000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create index ix_webhook_schedules_due on webhook_schedules (due_at)');
    await queryRunner.query(`insert into webhook_schedules (customer_id, platform, due_at, settings_changed_at)
      select l.customer_id, l.platform, now(), l.changed_at from live_connections l
      on conflict (customer_id, platform) do nothing`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index ix_webhook_schedules_due');
  }
}
