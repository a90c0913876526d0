import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Closed cases come in each order of a list by an index, as open ones do, so that `state=all` reads no more than its page. */
export class OrdersOfClosedCases1796000089000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, columns] of orders) {
      await queryRunner.query(`create index ix_case_versions_${name} on case_versions (customer_id, ${columns}, id)
        where closed_at is not null`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [name] of orders) await queryRunner.query(`drop index ix_case_versions_${name}`);
  }
}

const orders = [
  ['weight', 'weight'],
  ['type', 'entity_type, opened_at'],
  ['document', 'document_since'],
  ['due', 'due_since'],
] as const;
