import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The look-up whether an open command waits for another one reads only open commands. */
export class OpenCommandsByRecord1790910000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create index ix_outbox_commands_open_object on outbox_commands (customer_id, canonical_id, platform, seq)
       where decided_at is null`,
    );
    await queryRunner.query(
      `create index ix_outbox_commands_open_change on outbox_commands (customer_id, propagation_id, seq)
       where decided_at is null`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop index ix_outbox_commands_open_change`);
    await queryRunner.query(`drop index ix_outbox_commands_open_object`);
  }
}
