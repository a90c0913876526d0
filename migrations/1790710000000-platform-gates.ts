import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the gate of a customer's connection remembers, for all instances. Unlogged: after a crash of the server a gate begins
 * anew, and the platform's answers say the rest. Every call writes its row twice, so pages keep room for that.
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
