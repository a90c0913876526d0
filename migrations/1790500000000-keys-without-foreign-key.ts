import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys no longer refer to their customer. A key is looked up by its hash, so its table cannot be spread by customer, and a
 * table that is not spread cannot refer to one that is. The code that deletes a customer deletes its keys in the same
 * transaction. Issuing a key no longer waits for a lock on the customer's row.
 */
export class KeysWithoutForeignKey1790500000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table api_keys drop constraint fk_api_keys_customer');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // Keys of deleted customers give access to nothing.
    await queryRunner.query(
      'delete from api_keys k where not exists (select from customers c where c.id = k.customer_id)',
    );
    await queryRunner.query(`alter table api_keys add constraint fk_api_keys_customer
      foreign key (customer_id) references customers (id) on delete cascade`);
  }
}
