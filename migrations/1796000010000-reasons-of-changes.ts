import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A change keeps why it was made and who decided it, and an operator's decision about a command who made it. They stand in
 * `propagations` and not in `changes`: a change may have several rows there, one for each outcome that comes later, and none
 * where every platform refused it.
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
