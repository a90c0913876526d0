import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Records that a former release stored have nothing in the columns by which listings find and order them. A worker fills
 * them in the background. It has a row for each platform with such records until it has passed the last of them.
 */
export class ColumnFills1796000061000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table column_fills (
      customer_id uuid not null,
      platform text collate "C" not null,
      is_deleted boolean not null default false,
      entity_type text collate "C" not null default '',
      platform_id text collate "C" not null default '',
      constraint pk_column_fills primary key (customer_id, platform),
      constraint fk_column_fills_customer foreign key (customer_id) references customers (id) on delete cascade
    )`);
    await queryRunner.query(`insert into column_fills (customer_id, platform)
      select customer_id, platform from platform_records union select customer_id, platform from deleted_records`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table column_fills');
  }
}
