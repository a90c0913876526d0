import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A gate is one for each credential, whichever customers use it: platforms count by credential. So it has no customer, and stays
 * whole where tables are spread. What gates remember is worth minutes; they begin anew.
 */
export class GatesOfCredentials1790760000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table platform_gates`);
    await queryRunner.query(`create unlogged table platform_gates (
      platform text collate "C" not null,
      credential text collate "C" not null,
      state json not null,
      visited_at timestamptz not null,
      constraint pk_platform_gates primary key (platform, credential)
    ) with (fillfactor = 50)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`drop table platform_gates`);
    await queryRunner.query(`create unlogged table platform_gates (
      customer_id uuid not null,
      platform text collate "C" not null,
      state json not null,
      constraint pk_platform_gates primary key (customer_id, platform),
      constraint fk_platform_gates_customer foreign key (customer_id) references customers (id) on delete cascade
    ) with (fillfactor = 50)`);
  }
}
