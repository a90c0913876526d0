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
  /** Undefined in the first moments of a start. */
  readonly port: number | undefined;
}

/** A server that this process started, and how that went on. */
export interface LaunchedServer {
  /** Whether the process has ended. */
  ended(): boolean;
  /** What the server has written to its log so far; undefined if it ended in order. */
  complaint(): Promise<string | undefined>;
}

/** The live server of this data folder, whoever started it. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const written = await writtenPostmaster(data);
  return written && (await isPostmasterOf(data, written.pid)) ? written : undefined;
}

/**
 * Whether the last server ended without being stopped: its postmaster.pid is there and its process is not, or its files
 * are not those of a server that was stopped. The second is what a full disk leaves: the server fails, fails to recover,
 * and removes its postmaster.pid as if somebody had stopped it.
 */
export async function hasCrashed(data: string): Promise<boolean> {
  const written = await writtenPostmaster(data);
  if (written !== undefined) return !(await isPostmasterOf(data, written.pid));
  return !(await wasStopped(data));
}

/** The states of a cluster that was stopped, as a primary or as a standby (DBState in PostgreSQL's pg_control.h). */
const STOPPED: readonly number[] = [1, 2];
/** Bytes before the state in the file pg_control: the system's identifier and two versions. */
const STATE_AT = 16;

/** Whether the files are those of a server that was stopped, or of none that ever ran. */
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

/** The port that the last server was started with: keeping it spares whoever still holds the old address. */
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

/** Process IDs are used again, above all in containers, so on Linux the process must also run in the data folder. */
async function isPostmasterOf(data: string, pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return answersSignals(pid);
  try {
    const [there, here] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(data)]);
    return there.ino === here.ino && there.dev === here.dev;
  } catch (error) {
    // ENOENT also for a dead process that nobody has reaped; EACCES for another user's, which cannot be this server.
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
 * Starts a server and does not wait for it.
 * @param durable false runs it without fsync, and in this process's group, so that Ctrl-C ends it too
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
    // Statements and routine checkpoints have no place in the log: it may not hold customers' data, nor grow by itself.
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
    if (account.kind === 'lent') await log.chown(account.uid, account.gid); // its owner may run the server next
    const server = spawn(command, args, {
      ...identity,
      cwd: data,
      env: serverEnvironment(),
      // In a group of its own, Ctrl-C reaches the service first and the server stops when the service is done with it.
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
 * PostgreSQL clears a stale postmaster.pid itself, unless its process ID now belongs to another process of the same
 * user, or to a dead one that nobody reaps; then it refuses to start.
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

/** A free TCP port on the loopback address: the preferred one if nobody has it, else any. */
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
 * Stops a server: at once, but orderly. One that has not stopped after four seconds drops everything at once,
 * which loses nothing either: its next start recovers.
 * @returns whether it is gone
 */
export async function stopPostmaster(cluster: Cluster, { pid }: Postmaster): Promise<boolean> {
  if (process.platform === 'win32') {
    // No signals there.
    await promisify(execFile)(cluster.binaries.pgCtl, ['stop', '-D', cluster.data, '-m', 'fast', '-t', '5']);
    return true;
  }
  signal(pid, 'SIGINT');
  signal(pid, 'SIGCONT'); // a frozen one would not hear the other
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
