import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What changed since a time is found by an index, also among records that were written in another order than they changed. All
 * records of a run begin at one time, so they share an entry of the index.
 */
export class RecordsByTime1796000065000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const since = 'create index ix_platform_records_since on platform_records';

const up = [
  'drop index ix_platform_records_since',
  `${since} (customer_id, since)`,
  `create index ix_canonical_objects_extra on canonical_objects (customer_id, extra_since) where extra_since is not null`,
];

const down = [
  'drop index ix_canonical_objects_extra',
  'drop index ix_platform_records_since',
  `${since} using brin (customer_id, since) with (pages_per_range = 32)`,
];
