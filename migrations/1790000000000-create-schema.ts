import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The first schema.
 *
 * Every table of customer data begins its keys with customer_id, so that the tables can be spread over several servers
 * by that column. Text is compared by its bytes (collation "C"): normalised keys are computed in code, so the result of
 * a comparison must depend neither on the server's locale nor on an upgrade of its collation library. Payloads are
 * json, not jsonb, which keeps the text as it was received.
 *
 * A foreign key ends in canonical_objects or customers and cascades: one delete removes a customer whole. Its
 * referencing columns lead an index each, since a cascade looks them up once for every deleted row.
 */
export class CreateSchema1790000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // Referring tables come before the tables that they refer to. Without "cascade" no unexpected table is dropped.
    for (const table of tables.toReversed()) await queryRunner.query(`drop table ${table}`);
  }
}

const tables = [
  'customers',
  'api_keys',
  'connections',
  'canonical_objects',
  'canonical_aliases',
  'platform_records',
  'exchange_rates',
  'propagations',
];

const up = [
  `create table customers (
    id uuid not null,
    name text collate "C" not null,
    kind text collate "C" not null,
    created_at timestamptz not null default now(),
    constraint pk_customers primary key (id),
    constraint ck_customers_kind check (kind in ('demo', 'standard'))
  )`,

  `create table api_keys (
    id uuid not null,
    customer_id uuid not null,
    mode text collate "C" not null,
    hash text collate "C" not null,
    hint text collate "C" not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    constraint pk_api_keys primary key (id),
    constraint uq_api_keys_hash unique (hash),
    constraint ck_api_keys_mode check (mode in ('demo', 'test', 'live')),
    constraint fk_api_keys_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create index ix_api_keys_customer on api_keys (customer_id)`,

  `create table connections (
    customer_id uuid not null,
    platform text collate "C" not null,
    connected_at timestamptz not null,
    synced_at timestamptz not null,
    entities_synced int not null,
    currency text collate "C" not null,
    constraint pk_connections primary key (customer_id, platform),
    constraint fk_connections_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,

  `create table canonical_objects (
    customer_id uuid not null,
    id text collate "C" not null,
    entity_type text collate "C" not null,
    extra json not null default '{}',
    revision int not null default 1,
    constraint pk_canonical_objects primary key (customer_id, id),
    constraint fk_canonical_objects_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,

  `create table canonical_aliases (
    customer_id uuid not null,
    alias_id text collate "C" not null,
    canonical_id text collate "C" not null,
    constraint pk_canonical_aliases primary key (customer_id, alias_id),
    constraint fk_canonical_aliases_object foreign key (customer_id, canonical_id)
      references canonical_objects (customer_id, id) on delete cascade
  )`,
  `create index ix_canonical_aliases_object on canonical_aliases (customer_id, canonical_id)`,

  `create table platform_records (
    customer_id uuid not null,
    platform text collate "C" not null,
    entity_type text collate "C" not null,
    platform_id text collate "C" not null,
    native_order text collate "C" not null,
    canonical_id text collate "C" not null,
    variant text collate "C",
    currency text collate "C",
    business_key text collate "C",
    number text collate "C",
    project_ref text collate "C",
    customer_ref text collate "C",
    contract_ref text collate "C",
    invoice_ref text collate "C",
    project_canonical_id text collate "C",
    customer_canonical_id text collate "C",
    contract_canonical_id text collate "C",
    invoice_canonical_id text collate "C",
    payload json not null,
    constraint pk_platform_records primary key (customer_id, platform, entity_type, platform_id),
    constraint uq_platform_records_object unique (customer_id, canonical_id, platform),
    constraint fk_platform_records_object foreign key (customer_id, canonical_id)
      references canonical_objects (customer_id, id) on delete cascade
  )`,
  `create index ix_platform_records_order on platform_records (customer_id, platform, entity_type, native_order)`,
  `create index ix_platform_records_key on platform_records (customer_id, platform, entity_type, business_key)`,

  `create table exchange_rates (
    customer_id uuid not null,
    from_currency text collate "C" not null,
    to_currency text collate "C" not null,
    rate text collate "C" not null,
    set_at timestamptz not null default now(),
    constraint pk_exchange_rates primary key (customer_id, from_currency, to_currency),
    constraint fk_exchange_rates_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,

  `create table propagations (
    customer_id uuid not null,
    id uuid not null,
    canonical_id text collate "C" not null,
    entity_type text collate "C" not null,
    request_id text collate "C" not null,
    updated_fields json not null,
    outcome json not null,
    created_at timestamptz not null default now(),
    constraint pk_propagations primary key (customer_id, id),
    constraint fk_propagations_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create index ix_propagations_object on propagations (customer_id, canonical_id, created_at)`,
];
