import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A key has permissions and a label. Existing keys, and keys that an earlier release issues, keep the rights that they had
 * before.
 */
export class PermissionsOfKeys1796000020000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table api_keys
      add column label text collate "C",
      add column permissions text[] collate "C" not null default '{read,write,decide,administer}',
      add constraint ck_api_keys_permissions
        check (permissions <@ '{read,write,decide,administer,passthrough}'::text[])`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table api_keys
      drop constraint ck_api_keys_permissions,
      drop column permissions,
      drop column label`);
  }
}
