import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { sqlStateOf } from '../../../src/database/connection/database-errors';
import { migrate } from '../../../src/database/schema/migrate';

/** A database of its own for one test file, on the server that the global set-up started. */
export interface TestDatabase {
  readonly url: string;
  /** Removes it, also from under connections that are still open. */
  drop(): Promise<void>;
}

const TEMPLATE = 'migrated_template';
/** Advisory lock of the test files, which run in several processes, while one makes the template. */
const MAKING_TEMPLATE = '(7402, 1)';

/** A fresh, empty database. */
export function createDatabase(): Promise<TestDatabase> {
  return createFrom('template1');
}

/** A fresh database with every migration applied; they run once, and each database is a copy. */
export async function migratedDatabase(): Promise<TestDatabase> {
  await withServer(async (server) => {
    await server.query(`select pg_advisory_lock${MAKING_TEMPLATE}`);
    const { rowCount } = await server.query('select from pg_database where datname = $1 and datistemplate', [
      TEMPLATE,
    ]);
    if (rowCount === 1) return;
    await server.query(`drop database if exists ${TEMPLATE} with (force)`);
    await server.query(`create database ${TEMPLATE}`);
    await migrate(urlOf(TEMPLATE));
    // A template that takes no connections can be copied at any time. It is marked last: then it is whole.
    await server.query(`alter database ${TEMPLATE} allow_connections false is_template true`);
  });
  return createFrom(TEMPLATE);
}

/** A fresh database with what another one has, which must have no connections. */
export function copyOfDatabase({ url }: TestDatabase): Promise<TestDatabase> {
  return createFrom(new URL(url).pathname.slice(1));
}

async function createFrom(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withServer((server) => server.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(name),
    drop: () => withServer((server) => drop(server, name)),
  };
}

const INSUFFICIENT_PRIVILEGE = '42501';

// The server's own housekeeping may be at work in it, and that no ordinary role may end. It takes a moment.
async function drop(server: Client, name: string): Promise<void> {
  await untilLeft(server, name);
  for (let attemptsLeft = 100; ; attemptsLeft -= 1) {
    try {
      await server.query(`drop database ${name} with (force)`);
      return;
    } catch (error) {
      if (attemptsLeft === 0 || sqlStateOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
      await sleep(100);
    }
  }
}

/**
 * Gives connections that are about to end the time for it: a pool resolves its end before they have, and the error of one that
 * the server ends meanwhile would be that of a test.
 */
async function untilLeft(server: Client, name: string): Promise<void> {
  for (let looksLeft = 25; looksLeft > 0; looksLeft -= 1) {
    const { rowCount } = await server.query('select from pg_stat_activity where datname = $1', [name]);
    if (rowCount === 0) return;
    await sleep(20);
  }
}

/** Runs work on a connection of its own, whose end also gives back its locks. */
async function withServer(work: (server: Client) => Promise<unknown>): Promise<void> {
  const server = new Client({ connectionString: serverUrl() });
  await server.connect();
  try {
    await work(server);
  } finally {
    await server.end();
  }
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

function serverUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (url === undefined)
    throw new Error('Tests of the database belong to the project "e2e", which starts a server.');
  return url;
}
