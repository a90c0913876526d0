import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys may have an end, such as a key that was rotated. Demo sessions are found by their age. Several instances share the
 * counts of the rate limit.
 *
 * Locks come in the order in which opening and closing a session take theirs, customers before keys. Every request reads the
 * keys, so they are locked last, and for a moment only.
 */
export class ExpireKeysAndSessions1790100000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // Unlogged: counting writes no log, and after a crash of the server the counts begin again.
    await queryRunner.query(`create unlogged table rate_limit_windows (
      key text collate "C" not null,
      hits int not null,
      ends_at timestamptz not null,
      constraint pk_rate_limit_windows primary key (key)
    )`);
    await queryRunner.query(`create index ix_customers_demo on customers (created_at) where kind = 'demo'`);
    await queryRunner.query('alter table api_keys add column expires_at timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table rate_limit_windows');
    await queryRunner.query('drop index ix_customers_demo');
    // A key with an end must not live on without one.
    await queryRunner.query(
      'update api_keys set revoked_at = expires_at where revoked_at is null and expires_at is not null',
    );
    await queryRunner.query('alter table api_keys drop column expires_at');
  }
}
