import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The decisions of operators about commands are kept with their reasons. A command stores for which commands it waits, why it
 * was deferred, how often the service looked for its effect, and the notes of the connector before it was sent. A change stores
 * what its answer needs beside the outcomes, so that the service can make the answer again.
 */
export class OutboxDecisions1790740000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `alter table outbox_commands add column looks int not null default 0, add column notes json,
     add column given_up_at timestamptz, add column waits_for uuid[], add column put_off text collate "C"`,
  // Held commands are few, and each scrape of the metrics counts them.
  `create index ix_outbox_commands_held on outbox_commands (customer_id) where status = 'held'`,
  `alter table propagations add column report json`,
  `create table outbox_decisions (
    customer_id uuid not null,
    id uuid not null,
    command_id uuid not null,
    action text collate "C" not null,
    reason text collate "C" not null,
    made_at timestamptz not null default now(),
    constraint pk_outbox_decisions primary key (customer_id, id),
    constraint ck_outbox_decisions_action check (action in ('retry', 'send_again', 'discard')),
    constraint fk_outbox_decisions_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create index ix_outbox_decisions_command on outbox_decisions (customer_id, command_id, made_at)`,
];

const down = [
  `drop table outbox_decisions`,
  `alter table propagations drop column report`,
  `drop index ix_outbox_commands_held`,
  `alter table outbox_commands drop column looks, drop column notes, drop column given_up_at, drop column waits_for, drop column put_off`,
];
