import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Cluster,
  dataArgument,
  serverEnvironment,
  SUPERUSER,
} from '../../../src/runtime/embedded-postgres/cluster';
import { accountForNewCluster, runAs } from '../../../src/runtime/embedded-postgres/server-account';

const run = promisify(execFile);

/** Where packages of Linux distributions put PostgreSQL: a folder for each version. */
const VERSIONS = '/usr/lib/postgresql';

/** A PostgreSQL of the machine, with the programs that the npm packages do not bring. */
export interface InstalledPostgres {
  /** Its major version. */
  readonly version: string;
  readonly program: (name: string) => string;
}

/**
 * The newest PostgreSQL that is installed on this machine.
 *
 * @throws Error if there is none
 */
export async function installedPostgres(): Promise<InstalledPostgres> {
  const versions = await readdir(VERSIONS).catch((): string[] => []);
  const version = versions.toSorted((left, right) => Number(right) - Number(left))[0];
  if (version === undefined)
    throw new Error(`Dumps need a PostgreSQL that is installed in ${VERSIONS}, server and client.`);
  return { version, program: (name) => join(VERSIONS, version, 'bin', name) };
}

/** A new cluster of it under a folder, for tests: everybody on the machine may connect. */
export async function installedCluster({ program }: InstalledPostgres, folder: string): Promise<Cluster> {
  const home = join(folder, 'postgres');
  const data = join(home, 'data');
  const account = accountForNewCluster();
  await mkdir(data, { recursive: true, mode: 0o700 });
  // Until its version 16, a program leaves the folder it is started in, and comes back by its path.
  await chmod(folder, 0o711);
  if (account.kind === 'lent') for (const path of [data, home]) await chown(path, account.uid, account.gid);
  const { command, args, identity } = runAs(account, program('initdb'), [
    ...['-D', dataArgument(data, account), '-U', SUPERUSER, '--auth=trust', '--no-sync'],
    ...['--encoding=UTF8', '--locale=C'],
  ]);
  await run(command, args, { ...identity, cwd: data, env: serverEnvironment() });
  const binaries = { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') };
  return { data, log: join(home, 'log'), account, binaries, password: 'none' };
}
