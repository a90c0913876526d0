import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One function links the groups that need an order. Its records are in memory, so links no longer pass through a table, and a
 * merge needs no mark of the pair of platforms that made it. Both tables are empty between two runs.
 */
export class OneRuleOfLinks1790990000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table staged_links');
    await queryRunner.query(`
      alter table staged_merges drop column round, drop column platforms, drop column units, drop column against`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      alter table staged_merges add column round int not null default 0,
        add column platforms text[] collate "C" not null default '{}',
        add column units text[] collate "C", add column against text[] collate "C"`);
    await queryRunner.query(`
      alter table staged_merges alter column round drop default, alter column platforms drop default`);
    await queryRunner.query(`
      create unlogged table staged_links (
        customer_id uuid not null,
        run_id uuid not null,
        entity_type text collate "C" not null,
        platform text collate "C" not null,
        platform_id text collate "C" not null,
        business_key text collate "C" not null,
        parent text collate "C" not null,
        canonical_id text collate "C" not null,
        platforms text[] collate "C" not null,
        units text[] collate "C",
        against text[] collate "C",
        constraint pk_staged_links primary key (customer_id, run_id, entity_type, platform, platform_id)
      )`);
  }
}
