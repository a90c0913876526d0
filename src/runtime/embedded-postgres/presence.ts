import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SUPERUSER } from './cluster';
import { codeOf, messageOf } from './embedded-postgres-error';

/** Role and database of the service on its own server. */
export const SERVICE_NAME = 'translation';

/** Advisory locks of the database "postgres"; the numbers mean nothing. */
const IN_USE = '(7401, 1)';
const PREPARING = '(7401, 2)';

/** Why there is no presence (yet). */
export type Absence = 'not listening' | 'starting or stopping' | 'silent' | 'full';

/**
 * One connection that stays open while a process uses the server, and holds a shared lock there. It ends when the
 * server goes away, and shows the last process to leave that it is the last.
 */
export class Presence {
  private constructor(
    private readonly client: Client,
    private readonly socket: Socket,
    /** Settles when the connection is gone, for whatever reason. */
    readonly lost: Promise<void>,
  ) {}

  /**
   * Connects and takes the lock. Returns the reason instead where the server cannot be used now and may be soon.
   * @throws the driver's error where waiting is of no use, such as a wrong password
   */
  static async take(port: number, password: string): Promise<Presence | Absence> {
    const socket = new Socket();
    const client = new Client({
      stream: () => socket,
      host: '127.0.0.1',
      port,
      user: SUPERUSER,
      password,
      database: 'postgres',
      application_name: `${SERVICE_NAME} keeper`,
      connectionTimeoutMillis: 2000,
      query_timeout: 10_000,
    });
    const lost = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => undefined); // "end" follows, and is what counts
    try {
      await client.connect();
      const shared = await client.query<{ held: boolean }>(
        `select pg_try_advisory_lock_shared${IN_USE} as held`,
      );
      if (shared.rows[0]?.held) {
        socket.unref(); // a process with nothing else to do may end
        return new Presence(client, socket, lost);
      }
      await client.end();
      return 'starting or stopping'; // the last user has the lock to itself and is about to stop the server
    } catch (error) {
      client.end().catch(() => undefined);
      return absenceOf(error);
    }
  }

  /** Makes sure that the service's role and database exist. */
  async prepare(password: string): Promise<void> {
    if (await this.isPrepared()) return;
    await this.client.query(`select pg_advisory_lock${PREPARING}`);
    try {
      await this.client.query(
        `do $$ begin
           if not exists (select from pg_roles where rolname = '${SERVICE_NAME}') then
             create role ${SERVICE_NAME} login createdb password '${password}';
           end if;
         end $$`,
      );
      if (await this.isPrepared()) return;
      await this.client.query(`create database ${SERVICE_NAME} owner ${SERVICE_NAME}`);
    } finally {
      await this.client.query(`select pg_advisory_unlock${PREPARING}`);
    }
  }

  private async isPrepared(): Promise<boolean> {
    const { rowCount } = await this.client.query(`select from pg_database where datname = '${SERVICE_NAME}'`);
    return rowCount === 1;
  }

  /**
   * Asks whether nobody else uses the server, and if so keeps newcomers away from now on.
   * @param patienceMs how long connections that are just being closed may take to go
   */
  async isLast(patienceMs: number): Promise<boolean> {
    this.socket.ref();
    const { rows } = await this.client.query<{ alone: boolean }>(
      `select pg_advisory_unlock_shared${IN_USE}, pg_try_advisory_lock${IN_USE} as alone`,
    );
    if (!rows[0]?.alone) return false;
    for (const deadline = performance.now() + patienceMs; ; await sleep(20)) {
      const { rowCount } = await this.client.query(
        `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      if (rowCount === 0) return true;
      if (performance.now() > deadline) return false;
    }
  }

  async leave(): Promise<void> {
    await this.client.end();
  }
}

function absenceOf(error: unknown): Absence {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE') return 'not listening';
  if (code === '57P03' || code === '57P01') return 'starting or stopping';
  if (code === '53300') return 'full';
  // The driver gives these no code.
  if (/timeout/i.test(messageOf(error))) return 'silent';
  if (/terminated unexpectedly/i.test(messageOf(error))) return 'not listening';
  throw error;
}
