import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An endpoint is set back to an earlier place of the feed once a minute at most. */
export class RewoundEndpoints1796000099000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table webhook_endpoints add column rewound_at timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table webhook_endpoints drop column rewound_at');
  }
}
