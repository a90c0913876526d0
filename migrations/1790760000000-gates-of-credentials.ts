import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each credential has one rate limiter, whichever customers use it, because platforms count by credential. So the table has no
 * customer and is not spread on a cluster. The limiters begin again, since their state matters only for minutes.
 */
export class GatesOfCredentials1790760000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table platform_gates`);
    await queryRunner.query(`create unlogged table platform_gates (
      platform text collate "C" not null,
      credential text collate "C" not null,
      state json not null,
      visited_at timestamptz not null,
      constraint pk_platform_gates primary key (platform, credential)
    ) with (fillfactor = 50)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table platform_gates`);
    await queryRunner.query(`create unlogged table platform_gates (
      customer_id uuid not null,
      platform text collate "C" not null,
      state json not null,
      constraint pk_platform_gates primary key (customer_id, platform),
      constraint fk_platform_gates_customer foreign key (customer_id) references customers (id) on delete cascade
    ) with (fillfactor = 50)`);
  }
}
