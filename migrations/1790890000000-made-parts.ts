import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A command remembers what it has made while it is not decided, so that whatever ends it can say so. */
export class MadeParts1790890000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table outbox_commands add column made json`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table outbox_commands drop column made`);
  }
}
