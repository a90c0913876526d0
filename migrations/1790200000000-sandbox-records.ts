import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A sandbox gets records of its own. Until now our copy of a record was the sandbox's record too, so each copy is one
 * now; those that nobody had changed only repeat the sample portfolio.
 */
export class SandboxRecords1790200000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table sandbox_records (
      customer_id uuid not null,
      platform text collate "C" not null,
      entity_type text collate "C" not null,
      platform_id text collate "C" not null,
      variant text collate "C",
      payload json not null,
      command_id uuid,
      constraint pk_sandbox_records primary key (customer_id, platform, entity_type, platform_id),
      constraint fk_sandbox_records_customer foreign key (customer_id) references customers (id) on delete cascade
    )`);
    await queryRunner.query(`insert into sandbox_records (customer_id, platform, entity_type, platform_id, variant, payload)
      select customer_id, platform, entity_type, platform_id, variant, payload from platform_records`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table sandbox_records');
  }
}
