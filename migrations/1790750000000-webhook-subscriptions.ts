import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Live platforms call the service when something changes. `webhook_subscriptions` has a hash of the address and a hash of the
 * secret of each subscription. The service looks a call up by its address before it knows the customer. So on a cluster this
 * table is not spread, and it refers to no customer, like `api_keys`.
 *
 * `webhook_schedules` has the time of the next check of a connection's subscriptions; an instance claims a row by moving that
 * time ahead. It refers to no customer either, so that the subscriptions of a deleted customer can still be found.
 */
export class WebhookSubscriptions1790750000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `create table webhook_subscriptions (
    customer_id uuid not null,
    platform text collate "C" not null,
    address_hash text collate "C" not null,
    topic text collate "C" not null,
    secret_hash text collate "C" not null,
    handshake_until timestamptz,
    is_made boolean not null default false,
    constraint pk_webhook_subscriptions primary key (customer_id, platform, address_hash),
    constraint uq_webhook_subscriptions_address unique (address_hash)
  )`,
  `create table webhook_schedules (
    customer_id uuid not null,
    platform text collate "C" not null,
    due_at timestamptz not null,
    failures int not null default 0,
    settings_changed_at timestamptz not null,
    constraint pk_webhook_schedules primary key (customer_id, platform)
  )`,
];

const down = [`drop table webhook_schedules`, `drop table webhook_subscriptions`];
