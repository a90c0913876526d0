import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A command stores the request behind it, so that the request's ID and trace accompany every attempt on every instance. */
export class CausesOfCommands1790880000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table outbox_commands add column cause json`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table outbox_commands drop column cause`);
  }
}
