import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A date without a time is a day in the customer's time zone, an IANA name. It is UTC unless an operator sets another one. */
export class TimeZonesOfCustomers1796000021000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `alter table customers add column time_zone text collate "C" not null default 'UTC'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table customers drop column time_zone');
  }
}
