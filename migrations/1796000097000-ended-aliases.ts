import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When records leave an object, the ID that they had before a merge is theirs again, and no alias any more. The time during which
 * it was one is kept, for reads as of a time. A change keeps the object that it was made for, so that it comes back too.
 */
export class EndedAliases1796000097000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create table ended_aliases (
        customer_id uuid not null,
        alias_id text collate "C" not null,
        merged_into text collate "C" not null,
        since timestamptz,
        until timestamptz not null,
        constraint pk_ended_aliases primary key (customer_id, alias_id, until),
        constraint fk_ended_aliases_customer foreign key (customer_id) references customers (id) on delete cascade
      )`,
    );
    await queryRunner.query('alter table propagations add column made_for text collate "C"');
    // The commands of a change have kept it since before; they and their change part together.
    await queryRunner.query(
      `update propagations p set made_for = c.made_for
       from (
         select customer_id, propagation_id, min(made_for) as made_for from outbox_commands
         where made_for is not null group by customer_id, propagation_id
       ) c
       where p.customer_id = c.customer_id and p.id = c.propagation_id`,
    );
    await queryRunner.query(
      'create index ix_ended_aliases_object on ended_aliases (customer_id, merged_into)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table propagations drop column made_for');
    await queryRunner.query('drop table ended_aliases');
  }
}
