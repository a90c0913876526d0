import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tables and columns have the names that the documentation of other systems uses for such things: a rate limiter, an
 * attempt at a delivery, a check of a lost answer. A cluster renames no constraints: an index takes the name of its key
 * along, and a foreign key is made anew.
 */
export class StandardNames1796000094000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table platform_gates rename to platform_rate_limiters');
    await queryRunner.query('alter index pk_platform_gates rename to pk_platform_rate_limiters');
    await renameAttempts(queryRunner, 'webhook_tries', 'webhook_attempts');
    await queryRunner.query('alter table webhook_endpoints rename column tries to attempts');
    await queryRunner.query('alter table outbox_commands rename column looks to checks');
    await queryRunner.query('alter table webhook_subscriptions rename column is_made to is_confirmed');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table webhook_subscriptions rename column is_confirmed to is_made');
    await queryRunner.query('alter table outbox_commands rename column checks to looks');
    await queryRunner.query('alter table webhook_endpoints rename column attempts to tries');
    await renameAttempts(queryRunner, 'webhook_attempts', 'webhook_tries');
    await queryRunner.query('alter index pk_platform_rate_limiters rename to pk_platform_gates');
    await queryRunner.query('alter table platform_rate_limiters rename to platform_gates');
  }
}

async function renameAttempts(queryRunner: QueryRunner, from: string, to: string): Promise<void> {
  await queryRunner.query(`alter table ${from} rename to ${to}`);
  await queryRunner.query(`alter index pk_${from} rename to pk_${to}`);
  await queryRunner.query(`alter table ${to} drop constraint fk_${from}_endpoint`);
  await queryRunner.query(`alter table ${to} add constraint fk_${to}_endpoint
    foreign key (customer_id, endpoint_id) references webhook_endpoints (customer_id, id) on delete cascade`);
}
