import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events are delivered to endpoints that customers register. An endpoint keeps its place in the feed, so that deliveries need rows
 * only while they wait for another try. The latest tries of each endpoint are kept for people to read.
 */
export class WebhookEndpoints1796000083000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables) await queryRunner.query(`drop table ${table}`);
  }
}

const tables = ['webhook_tries', 'webhook_deliveries', 'webhook_secrets', 'webhook_endpoints'];

const ofEndpoint = (table: string): string => `
  constraint fk_${table}_endpoint foreign key (customer_id, endpoint_id)
    references webhook_endpoints (customer_id, id) on delete cascade`;

const up = [
  `create table webhook_endpoints (
    customer_id uuid not null,
    id uuid not null,
    url text collate "C" not null,
    types text[] collate "C" not null,
    description text collate "C",
    enabled boolean not null,
    disabled_reason text collate "C",
    created_at timestamptz not null,
    starts_at timestamptz not null,
    position bigint,
    open_deliveries integer not null default 0,
    retry_at timestamptz,
    failures integer not null default 0,
    failing_since timestamptz,
    tries bigint not null default 0,
    worked_at timestamptz not null,
    claim uuid,
    leased_until timestamptz not null default '-infinity',
    constraint pk_webhook_endpoints primary key (customer_id, id),
    constraint fk_webhook_endpoints_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create table webhook_secrets (
    customer_id uuid not null,
    id text collate "C" not null,
    endpoint_id uuid not null,
    master_key_id text collate "C" not null,
    sealed_key bytea not null,
    sealed_secret bytea not null,
    made_at timestamptz not null,
    ends_at timestamptz,
    constraint pk_webhook_secrets primary key (customer_id, id),
    ${ofEndpoint('webhook_secrets')}
  )`,
  'create index ix_webhook_secrets_endpoint on webhook_secrets (customer_id, endpoint_id)',
  `create table webhook_deliveries (
    customer_id uuid not null,
    endpoint_id uuid not null,
    sequence bigint not null,
    object text collate "C",
    attempts integer not null,
    next_at timestamptz not null,
    is_resend boolean not null,
    constraint pk_webhook_deliveries primary key (customer_id, endpoint_id, sequence),
    ${ofEndpoint('webhook_deliveries')}
  )`,
  `create table webhook_tries (
    customer_id uuid not null,
    endpoint_id uuid not null,
    number bigint not null,
    sequence bigint not null,
    type text collate "C",
    attempt integer not null,
    at timestamptz not null,
    duration_ms integer not null,
    status integer,
    error text collate "C",
    response text collate "C",
    outcome text collate "C" not null,
    next_at timestamptz,
    constraint pk_webhook_tries primary key (customer_id, endpoint_id, number),
    ${ofEndpoint('webhook_tries')}
  )`,
];
