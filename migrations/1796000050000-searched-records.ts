import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Listings find records by the words of their number, title and name, by status, by the date of their document and by
 * their project. The columns are read from each record, so records that are stored already have none until their
 * platform is read the next time.
 *
 * The index of words needs no extension: it is over the lexemes of a text search, and each of them begins with the
 * customer and the type, so a search never reads the words of others.
 */
export class SearchedRecords1796000050000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of down) await queryRunner.query(statement);
  }
}

const tables = ['platform_records', 'staged_records', 'deleted_records', 'record_versions'];

const up = [
  // Runs under way read again: what they have staged has no words.
  `delete from staged_records`,
  `delete from sync_checkpoints`,
  ...tables.map(
    (table) => `alter table ${table}
      add column status text collate "C",
      add column document_date text collate "C",
      add column search_words text collate "C"`,
  ),
  `create index ix_platform_records_project on platform_records (customer_id, entity_type, project_canonical_id)
    where project_canonical_id is not null`,
  `create index ix_platform_records_status on platform_records (customer_id, entity_type, status)
    where status is not null`,
  // Listings are in this order too, in which records without a date come first.
  `create index ix_platform_records_date on platform_records (
    customer_id, platform, entity_type, coalesce(document_date, ''), platform_id)`,
  `create index ix_platform_records_words on platform_records using gin (
    array_to_tsvector(string_to_array(
      customer_id::text || entity_type || ':'
        || replace(search_words, ' ', ' ' || customer_id::text || entity_type || ':'), ' '))
  ) where search_words is not null`,
];

const down = [
  ...['words', 'date', 'status', 'project'].map((name) => `drop index ix_platform_records_${name}`),
  ...tables.map(
    (table) => `alter table ${table}
      drop column status, drop column document_date, drop column search_words`,
  ),
];
