import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A stored record keeps a digest of the record as it was read, and the time of its last change on the platform. A connect
 * neither decodes nor stages an unchanged record: it notes, page by page, which records it has seen unchanged. Records that are
 * stored already have no digest, so the next connect reads each of them once more.
 *
 * A placed record keeps the ID that came with it unless that is taken, so few placements are written twice.
 */
export class DigestsOfRecords1790610000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const up = [
  `alter table platform_records add column modified_at text collate "C", add column digest text collate "C"`,
  // Runs in progress read again, because their staged records have no digests.
  `delete from staged_records`,
  `delete from sync_checkpoints`,
  `alter table staged_records add column digest text collate "C"`,
  `alter table staged_placements alter column own_id drop not null`,
  `create unlogged table staged_sightings (
    customer_id uuid not null,
    run_id uuid not null,
    entity_type text collate "C" not null,
    seq int not null,
    platform_ids text[] collate "C" not null,
    constraint pk_staged_sightings primary key (customer_id, run_id, entity_type, seq)
  )`,
];

const down = [
  `drop table staged_sightings`,
  `delete from staged_placements where own_id is null`,
  `alter table staged_placements alter column own_id set not null`,
  `alter table staged_records drop column digest`,
  `alter table platform_records drop column modified_at, drop column digest`,
];
