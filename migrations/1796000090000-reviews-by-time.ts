import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A list of sign-offs finds the reviews that began, and the acceptances that ended by themselves, since a moment. */
export class ReviewsByTime1796000090000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`create index ix_case_reviews_valid_from on case_reviews (customer_id, valid_from)
      where valid_until is null`);
    await queryRunner.query(`create index ix_case_reviews_accepted_until on case_reviews (customer_id, accepted_until)
      where valid_until is null and accepted_until is not null`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index ix_case_reviews_accepted_until');
    await queryRunner.query('drop index ix_case_reviews_valid_from');
  }
}
