import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A customer with credentials for a platform has a live connection. Stored records and waiting writes keep their mode, so that
 * no write for the platform reaches a sandbox, nor the reverse. All instances share the access token of a connection.
 */
export class LiveConnections1790700000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const withMode = ['connections', 'sync_runs', 'outbox_commands'];

const up = [
  `create table live_connections (
    customer_id uuid not null,
    platform text collate "C" not null,
    settings json not null,
    sealed_secrets bytea not null,
    sealed_key bytea not null,
    master_key_id text collate "C" not null,
    changed_at timestamptz not null default now(),
    constraint pk_live_connections primary key (customer_id, platform),
    constraint fk_live_connections_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create table platform_tokens (
    customer_id uuid not null,
    platform text collate "C" not null,
    sealed_access_token bytea,
    sealed_refresh_token bytea,
    sealed_key bytea,
    master_key_id text collate "C",
    expires_at timestamptz,
    generation bigint not null default 0,
    lease_owner uuid,
    lease_until timestamptz,
    constraint pk_platform_tokens primary key (customer_id, platform),
    constraint ck_platform_tokens_key check ((sealed_key is null) = (master_key_id is null)),
    constraint fk_platform_tokens_connection foreign key (customer_id, platform)
      references live_connections (customer_id, platform) on delete cascade
  )`,
  ...withMode.flatMap((table) => [
    `alter table ${table} add column mode text collate "C" not null default 'sandbox'`,
    `alter table ${table} add constraint ck_${table}_mode check (mode in ('sandbox', 'live'))`,
  ]),
];

const down = [
  ...withMode.map((table) => `alter table ${table} drop column mode`),
  `drop table platform_tokens`,
  `drop table live_connections`,
];
