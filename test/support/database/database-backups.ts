import { execFile } from 'node:child_process';
import { appendFile, copyFile, lchown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { codeOf } from '../../../src/runtime/embedded-postgres/embedded-postgres-error';
import { OwnServer } from '../../e2e/database/own-server';
import { installedCluster, type InstalledPostgres } from '../installed/installed-postgres';

const run = promisify(execFile);

/** Files of a running server that are not part of its backup, or are copied when the backup ends. */
const OF_THE_RUN = ['postmaster.pid', 'postmaster.opts', 'pg_wal'];

/** A further server with the files of a stopped one. */
export function copyOfStopped(server: OwnServer): Promise<OwnServer> {
  return OwnServer.start(async (folder) => {
    await copyTree(server.home, join(folder, 'postgres'));
  });
}

/**
 * A further server with the files of a running one: its files, copied between `pg_backup_start` and `pg_backup_stop`, with the
 * label that the latter gives, and the log of what happened meanwhile.
 */
export function copyOfRunning(server: OwnServer): Promise<OwnServer> {
  return OwnServer.start((folder) => copyRunning(server, join(folder, 'postgres')));
}

/**
 * A further server that follows a running one: a copy of it, to which the running one sends what it writes. From then on the
 * running one answers a commit once the standby has it too.
 */
export async function standbyOf(server: OwnServer): Promise<OwnServer> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    // What it writes during the copy is still there when the standby asks for it.
    await client.query(`alter system set wal_keep_size = '256MB'`);
    await client.query('select pg_reload_conf()');
    const standby = await OwnServer.start(async (folder) => {
      const home = join(folder, 'postgres');
      await copyRunning(server, home);
      const { hostname, port, username, password } = new URL(server.url);
      const primary = `host=${hostname} port=${port} user=${username} password=${password}`;
      // Behind what the copy has from a time as a standby of another server: the last line counts.
      await appendFile(join(home, 'data', 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
      await writeFile(join(home, 'data', 'standby.signal'), '');
      await giveAsBefore(join(home, 'data'), join(home, 'data', 'standby.signal'));
    });
    await client.query(`alter system set synchronous_standby_names = '*'`);
    await client.query('select pg_reload_conf()');
    while (!(await isSynchronous(client))) await sleep(20);
    return standby;
  } finally {
    await client.end();
  }
}

/** Lets a standby take over from the server that it followed. */
export async function promote(standby: OwnServer): Promise<void> {
  const client = new Client({ connectionString: standby.url });
  await client.connect();
  try {
    await client.query('select pg_promote()');
  } finally {
    await client.end();
  }
}

async function isSynchronous(client: Client): Promise<boolean> {
  const { rowCount } = await client.query(`select from pg_stat_replication where sync_state = 'sync'`);
  return rowCount === 1;
}

/** Copies the files of a running server into a folder, as {@link copyOfRunning} says. */
async function copyRunning(server: OwnServer, home: string): Promise<void> {
  const [from, to] = [join(server.home, 'data'), join(home, 'data')];
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('copy', true)`);
    await copyTree(server.home, home, OF_THE_RUN);
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(wait_for_archive => false)',
    );
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
    await giveAsBefore(from, join(to, 'backup_label'));
    await copyTree(join(from, 'pg_wal'), join(to, 'pg_wal'));
  } finally {
    await client.end();
  }
}

/** A further server with what `pg_dump` and `pg_restore` of an installed PostgreSQL take from a running one of its version. */
export async function dumpOf(server: OwnServer, installed: InstalledPostgres): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'translation-dump-'));
  const dump = join(folder, 'dump');
  try {
    await run(installed.program('pg_dump'), ['--format=custom', `--file=${dump}`, `--dbname=${server.url}`]);
    const restored = await OwnServer.start(undefined, (home) => installedCluster(installed, home));
    try {
      await run(installed.program('pg_restore'), ['--exit-on-error', `--dbname=${restored.url}`, dump]);
    } catch (error) {
      await restored.remove();
      throw error;
    }
    return restored;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Copies a folder with its owners. Files that go away meanwhile are not copied. */
async function copyTree(from: string, to: string, without: readonly string[] = []): Promise<void> {
  const { mode } = await stat(from);
  await mkdir(to, { recursive: true, mode });
  await giveAsBefore(from, to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (without.includes(entry.name)) continue;
    if (entry.isDirectory()) await copyTree(source, target, without);
    else if (entry.isFile()) await copyOne(source, target);
  }
}

async function copyOne(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
    await giveAsBefore(from, to);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Gives a file to the owner of another one. */
async function giveAsBefore(like: string, path: string): Promise<void> {
  const { uid, gid } = await stat(like);
  await lchown(path, uid, gid);
}
