import type { Command } from 'commander';
import { listMigrations } from '../../database/schema/migrate';
import { bringUpToDate, spread } from '../bring-up-to-date';
import type { Access } from '../operator';
import { jsonOption, type Json } from '../options';
import type { Output } from '../output';
import { table } from '../table';

export function addMigrations(root: Command, { reach }: Access, output: Output): void {
  const migrations = root.command('migrations').description('Migrations of the database schema');

  migrations
    .command('list')
    .description('List the migrations and whether the database has them; changes nothing')
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const rows = await reach(listMigrations);
      if (json) return output.json({ migrations: rows });
      output.out(table(['name', 'state'], rows));
    });

  migrations
    .command('run')
    .description('Apply the migrations that are pending, all or none of them')
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const applied = await reach(bringUpToDate);
      if (json) return output.json({ applied });
      for (const name of applied) output.out(`${name}\n`);
      if (applied.length === 0) output.err('Nothing to do: the database is up to date\n');
    });

  migrations
    .command('distribute')
    .description('Apply pending migrations, then spread the tables over the servers of a Citus cluster')
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const { applied, tables } = await reach(async (databaseUrl, pooler) => ({
        applied: await bringUpToDate(databaseUrl, pooler),
        tables: await spread(databaseUrl, pooler),
      }));
      if (json) return output.json({ applied, distributed: tables });
      for (const table of tables) output.out(`${table}\n`);
      if (tables.length === 0) output.err('Nothing to do: all tables are spread already\n');
    });
}
