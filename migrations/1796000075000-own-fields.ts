import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A customer defines canonical fields of its own. Definitions are terms, so reads as of a day use those of that day. What is
 * stored is read again after each definition and removal; a row says how far that is. Keys say whether their customer has own
 * fields, so that a translation for any other customer reads nothing but its key.
 *
 * `down` loses the definitions.
 */
export class OwnFields1796000075000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  'alter table customer_terms drop constraint ck_customer_terms_kind',
  `alter table customer_terms
    add constraint ck_customer_terms_kind check (kind in ('precedence', 'rule', 'field'))`,
  `create table field_readings (
    customer_id uuid not null,
    entity_type text collate "C" not null,
    name text collate "C" not null,
    is_removed boolean not null,
    since timestamptz not null,
    platform text collate "C" not null default '',
    platform_id text collate "C" not null default '',
    total integer not null,
    read integer not null default 0,
    filled integer not null default 0,
    unreadable integer not null default 0,
    done_at timestamptz,
    constraint pk_field_readings primary key (customer_id, entity_type, name),
    constraint fk_field_readings_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  `create index ix_field_readings_due on field_readings (customer_id) where done_at is null`,
  `alter table api_keys add column has_own_fields boolean not null default false`,
];

const down = [
  'alter table api_keys drop column has_own_fields',
  'drop table field_readings',
  `delete from customer_terms where kind = 'field'`,
  'alter table customer_terms drop constraint ck_customer_terms_kind',
  `alter table customer_terms add constraint ck_customer_terms_kind check (kind in ('precedence', 'rule'))`,
];
