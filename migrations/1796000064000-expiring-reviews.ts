import type { MigrationInterface, QueryRunner } from 'typeorm';

const indexes = [
  `create index ix_case_reviews_ended on case_reviews (valid_until, customer_id) where valid_until is not null`,
  `create index ix_case_reviews_begun on case_reviews (valid_from, customer_id) where valid_until is null`,
  `create index ix_case_notes_written on case_notes (at, customer_id)`,
];

/** Old reviews and notes of all customers are found by their times, also where no refresh has left a mark. */
export class ExpiringReviews1796000064000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of indexes) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of ['ix_case_notes_written', 'ix_case_reviews_begun', 'ix_case_reviews_ended'])
      await queryRunner.query(`drop index ${name}`);
  }
}
