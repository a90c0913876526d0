import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys may end at a set time, as one does that was replaced; demo sessions are found by their age; and the counts of the
 * rate limit have a place that several instances share.
 *
 * Locks come in the order in which opening and closing a session take theirs, customers before keys. Every request reads
 * the keys, so they are locked last, and for a moment only.
 */
export class ExpireKeysAndSessions1790100000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // Unlogged: after a crash of the server the counts begin anew, and counting writes no log until then.
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
