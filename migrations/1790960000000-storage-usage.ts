import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The size of history and kept answers. The service counts it in the background, for quotas, metrics and customers. */
export class StorageUsage1790960000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table storage_usage (
        customer_id uuid not null,
        history_bytes bigint not null,
        answer_bytes bigint not null,
        counted_at timestamptz not null,
        constraint pk_storage_usage primary key (customer_id),
        constraint fk_storage_usage_customer foreign key (customer_id) references customers (id) on delete cascade
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table storage_usage`);
  }
}
