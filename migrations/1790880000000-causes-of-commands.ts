import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A command keeps the request that asked for it, so that its ID and trace go along whenever and wherever it is sent. */
export class CausesOfCommands1790880000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table outbox_commands add column cause json`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table outbox_commands drop column cause`);
  }
}
