import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Writes that callers send to a platform themselves. A row is stored before its request is sent, so that a request whose answer
 * was lost is known, and is not sent again under the same key.
 */
export class PassthroughRequests1796000080000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table passthrough_requests');
  }
}

const up = [
  `create table passthrough_requests (
    customer_id uuid not null,
    id uuid not null,
    platform text collate "C" not null,
    method text collate "C" not null,
    path text collate "C" not null,
    key_id uuid not null,
    request_id text collate "C" not null,
    sent_at timestamptz not null default now(),
    state text collate "C" not null default 'sent',
    status integer,
    answered_at timestamptz,
    constraint pk_passthrough_requests primary key (customer_id, id),
    constraint ck_passthrough_requests_state check ("state" in ('sent', 'answered', 'not_sent')),
    constraint ck_passthrough_requests_answered check
      (num_nulls(status, answered_at) = case when "state" = 'answered' then 0 else 2 end),
    constraint fk_passthrough_requests_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  'create index ix_passthrough_requests_listed on passthrough_requests (customer_id, platform, sent_at, id)',
  'create index ix_passthrough_requests_sent on passthrough_requests (sent_at, customer_id)',
];
