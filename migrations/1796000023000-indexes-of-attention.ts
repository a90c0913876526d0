import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What waits for a person is found by indexes that hold nothing of connections where all is well, so that a look costs the
 * same however many idle customers there are.
 */
export class IndexesOfAttention1796000023000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create index ix_sync_runs_deletions_held on sync_runs (customer_id, platform)
      where report ->> 'deletionsHeld' <> '0'`);
    await queryRunner.query(
      'create index ix_sync_schedules_failing on sync_schedules (customer_id, platform) where failures > 0',
    );
    await queryRunner.query(`create index ix_webhook_subscriptions_unconfirmed
      on webhook_subscriptions (customer_id, platform) where not is_made`);
    await queryRunner.query(
      'create index ix_webhook_schedules_failing on webhook_schedules (customer_id, platform) where failures > 0',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop index ix_sync_runs_deletions_held, ix_sync_schedules_failing,
      ix_webhook_subscriptions_unconfirmed, ix_webhook_schedules_failing`);
  }
}
