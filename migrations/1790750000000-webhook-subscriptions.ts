import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Live platforms tell us when something changes. `webhook_subscriptions` has what each of them calls: a hash of the address
 * and a hash of the secret. A call is looked up by its address before anybody knows whose it is, so the table stays whole
 * where others are spread, as `api_keys` does, and refers to no customer.
 *
 * `webhook_schedules` says when the subscriptions of a connection are looked at again; moving that time ahead is the claim.
 * It refers to no customer either: what is left of one that is gone has to be found.
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
