import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A change has its state as a whole, so that changes in one state are found without looking at the others. Both indexes end
 * with the order of a list. The first replaces the index by age.
 */
export class StatesOfChanges1796000010001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `alter table propagations add column state text collate "C" not null default 'settled'`,
  `alter table propagations
     add constraint ck_propagations_state check (state in ('held', 'uncertain', 'pending', 'rejected', 'settled'))`,
  `update propagations p set state = 'rejected'
   where exists (select 1 from json_each(p.outcome) o where o.value ->> 'status' = 'rejected')`,
  `update propagations p set state = s.state
   from (
     select customer_id, propagation_id,
       case when bool_or(status = 'held') then 'held' when bool_or(status = 'uncertain') then 'uncertain' else 'pending' end as state
     from outbox_commands where decided_at is null or status = 'held'
     group by customer_id, propagation_id
   ) s
   where p.customer_id = s.customer_id and p.id = s.propagation_id`,
  `create index ix_propagations_listed on propagations (customer_id, created_at, id)`,
  `create index ix_propagations_state on propagations (customer_id, entity_type, state, created_at, id)`,
  `drop index ix_propagations_age`,
];

const down = [
  `create index ix_propagations_age on propagations (customer_id, created_at)`,
  `drop index ix_propagations_state`,
  `drop index ix_propagations_listed`,
  `alter table propagations drop column state`,
];
