import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A connection keeps the settings that its records were read with, also when its credentials are gone: credentials of
 * another company must not mix that company's records with them.
 */
export class SettingsThatWereReadWith1790755000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table connections add column read_with json`);
    await queryRunner.query(
      `update connections c set read_with = l.settings from live_connections l
       where c.mode = 'live' and l.customer_id = c.customer_id and l.platform = c.platform`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table connections drop column read_with`);
  }
}
