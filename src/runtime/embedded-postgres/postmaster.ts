import { execFile, spawn } from 'node:child_process';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Cluster, dataArgument, serverEnvironment } from './cluster';
import { codeOf } from './embedded-postgres-error';
import { runAs } from './server-account';

/** A running server, as its postmaster.pid describes it. */
export interface Postmaster {
  readonly pid: number;
  /** Undefined during the first moments of a start. */
  readonly port: number | undefined;
}

/** A server that this process started, and its state. */
export interface LaunchedServer {
  /** Whether the server's process has ended. */
  ended(): boolean;
  /** The server's log so far; undefined if it shut down normally. */
  complaint(): Promise<string | undefined>;
}

/** The running server of this data folder, regardless of the process that started it. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const written = await writtenPostmaster(data);
  return written && (await isPostmasterOf(data, written.pid)) ? written : undefined;
}

/**
 * Whether the last server ended without being stopped: its postmaster.pid exists and its process does not, or its files
 * are not those of a stopped server. The second case follows a full disk: the server fails, fails to recover, and
 * removes its postmaster.pid as if it had been stopped.
 */
export async function hasCrashed(data: string): Promise<boolean> {
  const written = await writtenPostmaster(data);
  if (written !== undefined) return !(await isPostmasterOf(data, written.pid));
  return !(await wasStopped(data));
}

/** The states of a stopped cluster, as a primary or as a standby (DBState in PostgreSQL's pg_control.h). */
const STOPPED: readonly number[] = [1, 2];
/** Bytes before the state in the file pg_control: the system's identifier and two versions. */
const STATE_AT = 16;

/** Whether the files are those of a stopped server, or of a cluster that never ran. */
async function wasStopped(data: string): Promise<boolean> {
  try {
    const control = await readFile(join(data, 'global', 'pg_control'));
    const state = endianness() === 'LE' ? control.readInt32LE(STATE_AT) : control.readInt32BE(STATE_AT);
    return STOPPED.includes(state);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    throw error;
  }
}

async function writtenPostmaster(data: string): Promise<Postmaster | undefined> {
  const text = await textOf(join(data, 'postmaster.pid'));
  const [pid, , , port] = text?.split('\n').map(Number) ?? [];
  if (pid === undefined || !(pid > 0)) return undefined;
  return { pid, port: port !== undefined && port > 0 ? port : undefined };
}

/** The port of the last server. Keeping it helps processes that still use the old address. */
export async function lastPort(data: string): Promise<number | undefined> {
  const port = Number(/"-p" "(\d+)"/.exec((await textOf(join(data, 'postmaster.opts'))) ?? '')?.[1]);
  return port > 0 ? port : undefined;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Process IDs are reused, above all in containers, so on Linux the process must also run in the data folder. */
async function isPostmasterOf(data: string, pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return answersSignals(pid);
  try {
    const [there, here] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(data)]);
    return there.ino === here.ino && there.dev === here.dev;
  } catch (error) {
    // ENOENT also for a zombie process; EACCES for a process of another user, which cannot be this server.
    if (['ENOENT', 'EACCES', 'ESRCH'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * Starts a server without waiting for it.
 * @param durable false runs the server without fsync, and in this process's group, so that Ctrl-C ends it too
 */
export async function launch(cluster: Cluster, port: number, durable: boolean): Promise<LaunchedServer> {
  const { account, binaries, data } = cluster;
  await forgetDeadPostmaster(data);
  await keepLogShort(cluster.log);
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    timezone: 'UTC',
    // Statements and routine checkpoints are not logged: the log must not contain customers' data or grow without a
    // cause.
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const { command, args, identity } = runAs(account, binaries.postgres, [
    ...['-D', dataArgument(data, account), '-p', String(port)],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  const log = await open(cluster.log, 'a', 0o600);
  try {
    const { size: from } = await log.stat();
    if (account.kind === 'lent') await log.chown(account.uid, account.gid); // the owner may run the server next
    const server = spawn(command, args, {
      ...identity,
      cwd: data,
      env: serverEnvironment(),
      // In a separate process group, only the service receives Ctrl-C, and it stops the server when it no longer needs
      // it.
      detached: durable,
      stdio: ['ignore', log.fd, log.fd],
      windowsHide: true,
    });
    let failure: Error | undefined;
    server.on('error', (error) => (failure = error));
    server.unref();
    return {
      ended: () => failure !== undefined || server.exitCode !== null || server.signalCode !== null,
      complaint: async () => {
        if (server.exitCode === 0) return undefined;
        const said = (await readFile(cluster.log)).subarray(from).toString('utf8').trim();
        return failure?.message ?? (said || `it ended with ${server.exitCode ?? server.signalCode}`);
      },
    };
  } finally {
    await log.close();
  }
}

/**
 * PostgreSQL removes a stale postmaster.pid itself, unless its process ID now belongs to another process of the same
 * user or to a zombie. In these cases PostgreSQL refuses to start.
 */
async function forgetDeadPostmaster(data: string): Promise<void> {
  const written = await writtenPostmaster(data);
  if (written && !(await isPostmasterOf(data, written.pid)) && answersSignals(written.pid)) {
    await rm(join(data, 'postmaster.pid'), { force: true });
  }
}

async function keepLogShort(log: string): Promise<void> {
  try {
    if ((await stat(log)).size > 1024 ** 2) await rename(log, `${log}.old`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** A free TCP port on the loopback address: the preferred port if it is free, otherwise any. */
export async function freePort(preferred?: number): Promise<number> {
  const taken = await new Promise<number | undefined>((resolve, reject) => {
    const server = createServer();
    server.on('error', (error) => (preferred === undefined ? reject(error) : resolve(undefined)));
    server.listen({ host: '127.0.0.1', port: preferred ?? 0 }, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : undefined));
    });
  });
  return taken ?? freePort();
}

/**
 * Stops a server with a fast, orderly shutdown. After four seconds follows an immediate shutdown, which loses no data
 * either, because the next start recovers.
 * @returns whether the server has stopped
 */
export async function stopPostmaster(cluster: Cluster, { pid }: Postmaster): Promise<boolean> {
  if (process.platform === 'win32') {
    // Windows has no signals.
    await promisify(execFile)(cluster.binaries.pgCtl, ['stop', '-D', cluster.data, '-m', 'fast', '-t', '5']);
    return true;
  }
  signal(pid, 'SIGINT');
  signal(pid, 'SIGCONT'); // a suspended process would not receive the other signal
  if (await gone(cluster.data, pid, 4000)) return true;
  signal(pid, 'SIGQUIT');
  return gone(cluster.data, pid, 500);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

async function gone(data: string, pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (await isPostmasterOf(data, pid)) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}
