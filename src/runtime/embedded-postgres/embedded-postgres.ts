import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, openCluster } from './cluster';
import { EmbeddedPostgresError, messageOf, SET_DATABASE_URL } from './embedded-postgres-error';
import {
  findPostmaster,
  freePort,
  hasCrashed,
  lastPort,
  launch,
  type LaunchedServer,
  stopPostmaster,
} from './postmaster';
import { type Absence, Presence, SERVICE_NAME } from './presence';

/** A PostgreSQL server on the loopback address, in use by this process. */
export interface RunningPostgres {
  /** Connection URL of the service's own database, whose encoding is UTF8. */
  readonly url: string;
  /** Ends this use. The last process that uses the server stops it; otherwise it keeps running. */
  stop(): Promise<void>;
}

/** Options of {@link startEmbeddedPostgres}. */
export interface EmbeddedPostgresOptions {
  /** False disables fsync, for tests. */
  readonly durable?: boolean;
  /** Receives lines about later events of the server; the standard error output by default. */
  readonly log?: (line: string) => void;
}

/** How long a start waits for a sign of life from the server. */
const WAIT_LIMIT_MS = 30_000;
/** How long a process waits for the server to say whether it can be stopped. */
const ANSWER_MS = 1500;
/** How long closed connections may take to disappear from the server. */
const CLOSING_MS = 1000;
/** Messages of temporary failures to start: another start, a predecessor that shuts down, a port in use. */
const MAY_PASS =
  /lock file "postmaster\.pid"|pre-existing shared memory block|could not (bind|create any TCP\/IP)/;

/**
 * Starts the PostgreSQL server under this folder, or joins a running one: several processes may share it, and a process
 * that is killed leaves it running for the next. A server that crashes is restarted at the same address.
 * @param dataDir created if it does not exist; the server's files are in its folder "postgres"
 * @throws EmbeddedPostgresError with a message for the operator
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  { durable = true, log = (line) => void process.stderr.write(`${line}\n`) }: EmbeddedPostgresOptions = {},
): Promise<RunningPostgres> {
  try {
    const cluster = await openCluster(resolve(dataDir), durable);
    const { port, presence } = await join(cluster, durable);
    await presence.prepare(cluster.password);
    return new SharedServer(cluster, port, presence, durable, log);
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw error;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL in ${dataDir} cannot be used: ${messageOf(error)}. ${SET_DATABASE_URL}`,
      { cause: error },
    );
  }
}

/** Connects to the cluster's server, and starts it if it is not running. */
async function join(cluster: Cluster, durable: boolean): Promise<{ port: number; presence: Presence }> {
  let launched: LaunchedServer | undefined;
  let absence: Absence | undefined;
  let sign = performance.now();
  for (let pause = 10; performance.now() - sign < WAIT_LIMIT_MS; await sleep(pause)) {
    const found = await findPostmaster(cluster.data);
    const port = found?.port;
    if (port !== undefined) {
      const presence = await Presence.take(port, cluster.password);
      if (presence instanceof Presence) return { port, presence };
      absence = presence;
      if (absence === 'starting or stopping') sign = performance.now();
    } else if (found === undefined && (launched === undefined || launched.ended())) {
      const complaint = await launched?.complaint();
      // Without an error in the log, another process stopped the server after it had just used it.
      if (complaint !== undefined && !MAY_PASS.test(complaint)) {
        throw new EmbeddedPostgresError(`PostgreSQL does not start in ${cluster.data}: ${complaint}`);
      }
      // Ports and predecessors need a longer pause each time.
      if (complaint !== undefined) pause = Math.min(pause * 2, 500);
      launched = await launch(cluster, await freePort(await lastPort(cluster.data)), durable);
    }
  }
  const complaint = (await launched?.complaint()) ?? '';
  throw new EmbeddedPostgresError(
    `PostgreSQL in ${cluster.data} gives no answer${absence ? ` (${absence})` : ''}. ${complaint || 'Is its process stopped?'}`,
  );
}

class SharedServer implements RunningPostgres {
  readonly url: string;
  private stopped: Promise<void> | undefined;
  private readonly stopping = new AbortController();
  /** The restart of the server, in progress or finished. */
  private recovery: Promise<void> | undefined;
  /** Undefined while the server is down. */
  private presence: Presence | undefined;

  constructor(
    private readonly cluster: Cluster,
    private readonly port: number,
    presence: Presence,
    private readonly durable: boolean,
    private readonly log: (line: string) => void,
  ) {
    this.url = `postgres://${SERVICE_NAME}:${cluster.password}@127.0.0.1:${port}/${SERVICE_NAME}`;
    this.watch(presence);
  }

  stop(): Promise<void> {
    return (this.stopped ??= this.leave());
  }

  private async leave(): Promise<void> {
    this.stopping.abort();
    // The recovery may be about to start a server or to take a presence, which would keep the server in use for ever.
    await this.recovery;
    const server = await findPostmaster(this.cluster.data);
    if (server?.port !== this.port) return;
    const presence = this.presence ?? (await this.takePresence());
    if (presence === undefined)
      return this.log('PostgreSQL is not up again yet; this process no longer waits for it.');
    if (!(await this.isLast(presence))) return presence.leave();
    if (!(await stopPostmaster(this.cluster, server))) {
      this.log(`PostgreSQL (process ${server.pid}) was asked to stop and has not stopped yet.`);
    }
  }

  private async takePresence(): Promise<Presence | undefined> {
    for (const deadline = performance.now() + ANSWER_MS; performance.now() < deadline; await sleep(50)) {
      const presence = await Presence.take(this.port, this.cluster.password);
      if (presence instanceof Presence) return presence;
    }
    return undefined;
  }

  private async isLast(presence: Presence): Promise<boolean> {
    const timeout = sleep(ANSWER_MS, undefined, { ref: false });
    try {
      return await Promise.race([
        presence.isLast(CLOSING_MS),
        timeout.then(() => Promise.reject(new Error('it does not answer'))),
      ]);
    } catch (error) {
      // No process can use a server in this state, and stopping it loses nothing.
      this.log(`PostgreSQL is stopped without asking who else uses it: ${messageOf(error)}`);
      return true;
    }
  }

  private watch(presence: Presence): void {
    this.presence = presence;
    void presence.lost
      .then(() => {
        this.presence = undefined;
        return (this.recovery = this.recover());
      })
      .catch((error: unknown) => this.log(`PostgreSQL is no longer watched: ${messageOf(error)}`));
  }

  /**
   * Retries until the server is back. A crashed server is restarted as often as necessary, because the cause, such as a
   * full disk, may be temporary. After an intentional stop, the recovery waits for another process to start the server.
   */
  private async recover(): Promise<void> {
    let crashed = false;
    let launched: LaunchedServer | undefined;
    let said = '';
    const sayWhyNot = (reason: string): void => {
      // The numbers in file names differ each time.
      const gist = reason.replace(/\d+/g, '');
      if (gist !== said) this.log(`PostgreSQL is not back yet: ${reason}`);
      said = gist;
    };
    const { signal } = this.stopping;
    for (let pause = 50; !signal.aborted; pause = Math.min(pause * 2, 2000)) {
      try {
        const found = await findPostmaster(this.cluster.data);
        if (found?.port === this.port) {
          const presence = await Presence.take(this.port, this.cluster.password);
          if (presence instanceof Presence) return this.watch(presence);
        } else if (found === undefined && (launched?.ended() ?? true)) {
          const complaint = await launched?.complaint();
          if (complaint !== undefined) sayWhyNot(reasonIn(complaint));
          if (!crashed && (await hasCrashed(this.cluster.data))) {
            crashed = true;
            this.log('PostgreSQL has crashed; starting it again.');
          }
          if (crashed) launched = await launch(this.cluster, this.port, this.durable);
        }
      } catch (error) {
        sayWhyNot(messageOf(error));
      }
      await sleep(pause, undefined, { ref: false, signal }).catch(() => undefined); // Aborted: the loop ends.
    }
  }
}

/** Why a server ended: the last error in its log, or its last line, without time and process ID. */
function reasonIn(complaint: string): string {
  const lines = [...complaint.matchAll(/\b([A-Z]+): +(.*)/g)].map(([, level = '', message = '']) => ({
    level,
    message,
  }));
  const last = lines.findLast(({ level }) => level === 'FATAL' || level === 'PANIC') ?? lines.at(-1);
  return last?.message ?? complaint;
}
