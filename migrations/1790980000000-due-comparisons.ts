import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Customers whose comparisons are behind have rows here, so that a look for them reads no others. It is unknown which existing
 * customers are behind, so all of them are due once.
 */
export class DueComparisons1790980000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table due_comparisons (
        customer_id uuid not null,
        id uuid not null,
        since timestamptz not null,
        due_at timestamptz not null,
        taken boolean not null default false,
        constraint pk_due_comparisons primary key (customer_id, id),
        constraint fk_due_comparisons_customer foreign key (customer_id) references customers (id) on delete cascade
      )`);
    await queryRunner.query('create index ix_due_comparisons_due_at on due_comparisons (due_at)');
    await queryRunner.query(`
      insert into due_comparisons (customer_id, id, since, due_at)
      select id, gen_random_uuid(), now(), now() from customers where kind <> 'demo'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table due_comparisons');
  }
}
