import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A change stores its reason and who decided it; an operator's decision about a command stores who made it. The reason of a
 * change is in `propagations`, not in `changes`: a change has one row there for each later outcome, and none if every platform
 * refused it.
 */
export class ReasonsOfChanges1796000010000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table propagations add column reason text collate "C", add column decided_by text collate "C"',
    );
    await queryRunner.query('alter table outbox_decisions add column decided_by text collate "C"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table outbox_decisions drop column decided_by');
    await queryRunner.query('alter table propagations drop column reason, drop column decided_by');
  }
}
