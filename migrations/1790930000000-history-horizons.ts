import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each customer has the time since which its history is whole, once something of it was removed. Of what was removed before,
 * the oldest change that is left says it, where the customer was connected longer ago.
 */
export class HistoryHorizons1790930000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create table history_horizons (
      customer_id uuid not null,
      whole_since timestamptz not null,
      constraint pk_history_horizons primary key (customer_id),
      constraint fk_history_horizons_customer foreign key (customer_id) references customers (id) on delete cascade
    )`);
    // A first connect has its change within an hour of its begin.
    await queryRunner.query(`
      insert into history_horizons (customer_id, whole_since)
      select known.customer_id, known.oldest from (
        select c.customer_id, min(c.connected_at) as connected_at,
          (select min(h.at) from changes h where h.customer_id = c.customer_id) as oldest
        from connections c group by c.customer_id
      ) known
      where known.oldest > known.connected_at + interval '1 hour'`);
    // Of a customer without a change that is left nothing earlier than now is known.
    await queryRunner.query(`
      insert into history_horizons (customer_id, whole_since)
      select distinct c.customer_id, now() from connections c
      where not exists (select from changes h where h.customer_id = c.customer_id)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table history_horizons`);
  }
}
