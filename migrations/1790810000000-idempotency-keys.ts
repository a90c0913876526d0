import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A request with an `Idempotency-Key` has its effect once. The row of a key is its claim while the request runs. Afterwards it
 * has the answer, or the ID of the propagation or run from which the answer is made.
 */
export class IdempotencyKeys1790810000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table idempotency_keys');
  }
}

const up = [
  `create table idempotency_keys (
    customer_id uuid not null,
    key text collate "C" not null,
    digest text collate "C" not null,
    owner uuid not null,
    lease_until timestamptz,
    subject text collate "C",
    status smallint,
    body text collate "C",
    created_at timestamptz not null,
    constraint pk_idempotency_keys primary key (customer_id, key),
    constraint fk_idempotency_keys_customer foreign key (customer_id) references customers (id) on delete cascade
  )`,
  // By age: old keys are removed customer by customer.
  `create index ix_idempotency_keys_age on idempotency_keys (customer_id, created_at)`,
];
