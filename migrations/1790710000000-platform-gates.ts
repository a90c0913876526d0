import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The state of the rate limiter of a customer's connection, for all instances. The table is unlogged: after a crash of the
 * server a limiter begins again, and the platform's answers correct it. Every call writes its row twice, so pages keep room for
 * updates.
 */
export class PlatformGates1790710000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create unlogged table platform_gates (
      customer_id uuid not null,
      platform text collate "C" not null,
      state json not null,
      constraint pk_platform_gates primary key (customer_id, platform),
      constraint fk_platform_gates_customer foreign key (customer_id) references customers (id) on delete cascade
    ) with (fillfactor = 50)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table platform_gates`);
  }
}
