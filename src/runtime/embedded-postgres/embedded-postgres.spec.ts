import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type RunningPostgres, startEmbeddedPostgres } from './embedded-postgres';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { findPostmaster } from './postmaster';

const ROOT = join(__dirname, '../../..');

jest.setTimeout(60_000);

async function query<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Less than the time limit of a test: an attempt that outlives its test keeps the process from ending. */
const WAIT_LIMIT_MS = 50_000;

/** Retries until an attempt succeeds; on timeout, throws the error of the last attempt. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + WAIT_LIMIT_MS; ; await sleep(20)) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() >= until) throw error;
    }
  }
}

/** Uses the server from a separate process that can be killed. */
async function holdElsewhere(folder: string): Promise<{ url: string; kill(): Promise<void> }> {
  const hook = join(ROOT, 'scripts/register-typescript.cjs');
  const holder: ChildProcess = spawn(
    process.execPath,
    ['-r', hook, join(ROOT, 'test/support/processes/hold-postgres.ts'), folder],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  if (holder.stdout === null) throw new Error('The process has no output.');
  const [url] = (await once(createInterface(holder.stdout), 'line')) as [string];
  return {
    url,
    kill: async () => {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    },
  };
}

async function killServer(data: string): Promise<void> {
  const server = await findPostmaster(data);
  if (server === undefined) throw new Error('No server runs.');
  process.kill(server.pid, 'SIGKILL');
}

describe('the embedded PostgreSQL', () => {
  let parent: string;
  let folder: string;
  let data: string;
  const uses: RunningPostgres[] = [];
  const events: string[] = [];

  async function use(): Promise<RunningPostgres> {
    const server = await startEmbeddedPostgres(folder, {
      durable: false,
      log: (line) => void events.push(line),
    });
    uses.push(server);
    return server;
  }

  async function stopAll(): Promise<void> {
    for (const server of uses.splice(0)) await server.stop();
  }

  // All tests share one cluster, because its creation takes the time. Only the owner can enter mkdtemp's folder, as in
  // a project under root's home directory.
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
    folder = join(parent, 'not', 'there', 'yet');
    data = join(folder, 'postgres', 'data');
    await use();
    await stopAll();
  });
  afterEach(async () => {
    await stopAll();
    events.length = 0;
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));

  it('has a UTF8 database that belongs to an ordinary role', async () => {
    const { url } = await use();
    const [row] = await query(
      url,
      `select pg_encoding_to_char(encoding) as encoding, datdba::regrole::text as owner, rolsuper as super
       from pg_database join pg_roles on rolname = current_user where datname = current_database()`,
    );
    expect(row).toEqual({ encoding: 'UTF8', owner: 'translation', super: false });
  });

  it('listens on the loopback address alone', async () => {
    const asSuperuser = (await use()).url.replace('//translation:', '//postgres:');
    const [row] = await query(
      asSuperuser,
      `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets`,
    );
    expect(row).toEqual({ addresses: '127.0.0.1', sockets: '' });
  });

  it.each(['translation', 'postgres'])('refuses a login as %s without the password', async (user) => {
    const url = new URL((await use()).url);
    url.username = user;
    url.password = 'guess';
    await expect(query(url.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('shows its files to their owner alone', async () => {
    expect((await stat(join(folder, 'postgres'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'postgres', 'password'))).mode & 0o777).toBe(0o600);
  });

  it('keeps data and address over a restart', async () => {
    const first = await use();
    await query(first.url, 'create table kept (n int); insert into kept values (1)');
    await first.stop();
    expect(await findPostmaster(data)).toBeUndefined();

    const second = await use();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  it('is shared by concurrent starts, and stopped by the last user', async () => {
    const [first, second, third] = await Promise.all([use(), use(), use()]);
    expect(new Set([first.url, second.url, third.url]).size).toBe(1);

    await first.stop();
    await second.stop();
    expect(await query(third.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    await third.stop();
    expect(await findPostmaster(data)).toBeUndefined();
  });

  it('makes one cluster, however many starts find none', async () => {
    const home = await mkdtemp(join(parent, 'race-'));
    await mkdir(join(home, 'postgres-new-999999999-abandoned'));
    const servers = await Promise.all([1, 2].map(() => startEmbeddedPostgres(home, { durable: false })));
    expect(new Set(servers.map(({ url }) => url)).size).toBe(1);
    for (const server of servers) await server.stop();
    expect(await readdir(home)).toEqual(['postgres']);
  });

  it('keeps running while another process uses it', async () => {
    const server = await use();
    const guest = new Client({ connectionString: server.url });
    await guest.connect();
    await server.stop();
    expect((await guest.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    await guest.end();
    await use(); // stops it after the test
  });

  it('stops once, however often it is asked to', async () => {
    const server = await use();
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(await findPostmaster(data)).toBeUndefined();
  });

  it('is joined by the next start after its process was killed', async () => {
    const killed = await holdElsewhere(folder);
    const before = await findPostmaster(data);
    await killed.kill();

    const { url } = await use();
    expect(url).toBe(killed.url);
    expect(await findPostmaster(data)).toEqual(before);
  });

  it('recovers what was committed when process and server were killed', async () => {
    const killed = await holdElsewhere(folder);
    await query(killed.url, 'create table committed (n int); insert into committed values (7)');
    await killed.kill();
    await killServer(data);

    const { url } = await use();
    expect(await query(url, 'select n from committed')).toEqual([{ n: 7 }]);
  });

  it('comes back at its address after a crash', async () => {
    const { url } = await use();
    const before = await findPostmaster(data);
    await killServer(data);

    expect(await eventually(() => query(url, 'select 1 as n'))).toEqual([{ n: 1 }]);
    expect((await findPostmaster(data))?.pid).not.toBe(before?.pid);
    expect(events).toContain('PostgreSQL has crashed; starting it again.');
  });

  it('starts when the obstacle has passed, such as a full disk that is free again', async () => {
    const { url } = await use();
    const server = await findPostmaster(data);
    if (server === undefined) throw new Error('No server runs.');
    // A server that fails to recover removes its postmaster.pid. Without its write-ahead log no server starts.
    const [wal, away] = [join(data, 'pg_wal'), join(data, 'pg_wal.away')];
    await rename(wal, away);
    await rm(join(data, 'postmaster.pid'));
    process.kill(server.pid, 'SIGKILL');
    await eventually(() => {
      expect(events).toContainEqual(expect.stringMatching(/not back yet: .*pg_wal.* does not exist/));
      return Promise.resolve();
    });
    // Each attempt to start the server ends within moments.
    await eventually(async () => expect(await findPostmaster(data)).toBeUndefined());
    expect(events[0]).toBe('PostgreSQL has crashed; starting it again.');

    await rename(away, wal);
    expect(await eventually(() => query(url, 'select 1 as n'))).toEqual([{ n: 1 }]);
    // Each reason is logged once, regardless of the number of failed starts.
    expect(new Set(events).size).toBe(events.length);
  });

  it('stays stopped after an operator stops it, and is used again after a start', async () => {
    const first = await use();
    const server = await findPostmaster(data);
    if (server === undefined) throw new Error('No server runs.');
    process.kill(server.pid, 'SIGINT');
    await eventually(async () => expect(await findPostmaster(data)).toBeUndefined());

    const second = await use();
    expect(second.url).toBe(first.url);
    expect(events).toEqual([]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'is not kept running by a use that ends while the server restarts (after %i ms)',
    async (delay) => {
      const first = await use();
      const server = await findPostmaster(data);
      if (server === undefined) throw new Error('No server runs.');
      process.kill(server.pid, 'SIGINT');
      await eventually(async () => expect(await findPostmaster(data)).toBeUndefined());

      // The first use polls for the server, and may be about to join it at the moment it is ended.
      const second = await use();
      await sleep(delay);
      await first.stop();
      await second.stop();
      expect(await findPostmaster(data)).toBeUndefined();
    },
  );

  it('starts although postmaster.pid names the ID of an unrelated process', async () => {
    await writeFile(join(data, 'postmaster.pid'), `${process.pid}\n${data}\n0\n1\n\n127.0.0.1\n\nready\n`);
    const { url } = await use();
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('says which folder it cannot use, and what to do', async () => {
    const file = join(parent, 'file');
    await writeFile(file, '');
    const refusal = startEmbeddedPostgres(file, { durable: false });
    await expect(refusal).rejects.toBeInstanceOf(EmbeddedPostgresError);
    await expect(refusal).rejects.toThrow(new RegExp(`${file} cannot be used: EEXIST.* Set DATABASE_URL`));
  });

  it('passes on what PostgreSQL says when it cannot start', async () => {
    const home = await mkdtemp(join(parent, 'broken-'));
    await (await startEmbeddedPostgres(home, { durable: false })).stop();
    await writeFile(join(home, 'postgres', 'data', 'PG_VERSION'), '9.6\n');
    await expect(startEmbeddedPostgres(home, { durable: false })).rejects.toThrow(
      /does not start in .*: .*FATAL: .*9\.6/s,
    );
  });
});
