import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An open command stores the parts that it has already written. The code that ends the command reports them. */
export class MadeParts1790890000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table outbox_commands add column made json`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table outbox_commands drop column made`);
  }
}
