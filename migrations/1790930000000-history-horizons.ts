import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Once part of a customer's history was removed, the customer has the time from which its history is complete. For earlier
 * removals this is the time of the oldest remaining change, if the customer was connected before it.
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
    // For a customer without any remaining change, the history begins now.
    await queryRunner.query(`
      insert into history_horizons (customer_id, whole_since)
      select distinct c.customer_id, now() from connections c
      where not exists (select from changes h where h.customer_id = c.customer_id)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table history_horizons`);
  }
}
