import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records that webhooks have named wait here for the reading that looks at them. */
export class NamedRecords1790920000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table named_records (
        customer_id uuid not null,
        platform text collate "C" not null,
        entity_type text collate "C" not null,
        platform_id text collate "C" not null,
        project_id text collate "C",
        named_at timestamptz not null,
        constraint pk_named_records primary key (customer_id, platform, entity_type, platform_id),
        constraint fk_named_records_customer foreign key (customer_id) references customers (id) on delete cascade
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table named_records`);
  }
}
