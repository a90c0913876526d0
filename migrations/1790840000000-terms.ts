import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The terms of a customer are kept with their times. A new rate, precedence or rule ends the former one, so that reads as of a
 * day use the terms of that day. At most one of each is in force.
 *
 * `down` keeps the rates in force and loses the earlier ones.
 */
export class Terms1790840000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `alter table exchange_rates add column ended_at timestamptz, drop constraint pk_exchange_rates`,
  `alter table exchange_rates
    add constraint pk_exchange_rates primary key (customer_id, from_currency, to_currency, set_at)`,
  `create unique index uq_exchange_rates_present on exchange_rates (customer_id, from_currency, to_currency)
    where ended_at is null`,
  `create table customer_terms (
    customer_id uuid not null,
    kind text collate "C" not null,
    name text collate "C" not null,
    value json not null,
    since timestamptz not null,
    until timestamptz,
    constraint pk_customer_terms primary key (customer_id, kind, name, since),
    constraint fk_customer_terms_customer foreign key (customer_id) references customers (id) on delete cascade,
    constraint ck_customer_terms_kind check (kind in ('precedence', 'rule'))
  )`,
  `create unique index uq_customer_terms_present on customer_terms (customer_id, kind, name) where until is null`,
  // The payments of an invoice and the invoices of a contract, which a change of one of them adds up.
  `create index ix_platform_records_payments on platform_records (customer_id, invoice_canonical_id)
    where entity_type = 'payment'`,
  `create index ix_platform_records_invoices on platform_records (customer_id, contract_canonical_id)
    where entity_type = 'invoice'`,
];

const down = [
  `drop index ix_platform_records_invoices`,
  `drop index ix_platform_records_payments`,
  `drop table customer_terms`,
  `delete from exchange_rates where ended_at is not null`,
  `drop index uq_exchange_rates_present`,
  `alter table exchange_rates drop constraint pk_exchange_rates, drop column ended_at`,
  `alter table exchange_rates
    add constraint pk_exchange_rates primary key (customer_id, from_currency, to_currency)`,
];
