import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tallies of a signed scope are kept as they were at the mark of a refresh, so that a list of sign-offs reads only what has
 * changed since. The index finds the comparisons that began with a refresh.
 */
export class KeptTallies1796000088000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table kept_tallies (
        customer_id uuid not null,
        scope text collate "C" not null,
        as_of timestamptz not null,
        mark timestamptz not null,
        read_until timestamptz not null,
        fingerprint text collate "C" not null,
        currencies text[] not null,
        tallies json not null,
        constraint pk_kept_tallies primary key (customer_id, scope),
        constraint fk_kept_tallies_customer foreign key (customer_id) references customers (id) on delete cascade
      )`);
    await queryRunner.query('create index ix_comparisons_begin on comparisons (customer_id, valid_from)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index ix_comparisons_begin');
    await queryRunner.query('drop table kept_tallies');
  }
}
