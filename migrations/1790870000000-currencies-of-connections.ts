import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A connection keeps its earlier currencies, so that reads as of a time use the currency of that time. */
export class CurrenciesOfConnections1790870000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table connection_currencies (
      customer_id uuid not null,
      platform text collate "C" not null,
      currency text collate "C" not null,
      until timestamptz not null,
      ended_by uuid,
      constraint pk_connection_currencies primary key (customer_id, platform, until),
      constraint fk_connection_currencies_connection foreign key (customer_id, platform)
        references connections (customer_id, platform) on delete cascade
    )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table connection_currencies`);
  }
}
