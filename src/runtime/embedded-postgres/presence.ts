import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SUPERUSER } from './cluster';
import { codeOf, messageOf } from './embedded-postgres-error';

/** Role and database of the service on its embedded server. */
export const SERVICE_NAME = 'translation';

/** Keys of an advisory lock in the database "postgres"; the numbers have no meaning. */
const IN_USE = '(7401, 1)';
const PREPARING = '(7401, 2)';

/** Why the connection could not be opened, or not yet. */
export type Absence = 'not listening' | 'starting or stopping' | 'silent' | 'full';

/**
 * A connection that stays open and holds a shared lock while a process uses the server. It ends when the server stops.
 * The lock tells a process that ends its use whether it is the last.
 */
export class Presence {
  private constructor(
    private readonly client: Client,
    private readonly socket: Socket,
    /** Settles when the connection is lost, for any reason. */
    readonly lost: Promise<void>,
  ) {}

  /**
   * Connects and takes the lock. Returns the reason instead if the server is unavailable and may be available soon.
   * @throws the driver's error if a retry is useless, such as for a wrong password
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
      application_name: `${SERVICE_NAME} presence`,
      connectionTimeoutMillis: 2000,
      query_timeout: 10_000,
    });
    const lost = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => undefined); // the event "end" follows and is handled below
    try {
      await client.connect();
      const shared = await client.query<{ held: boolean }>(
        `select pg_try_advisory_lock_shared${IN_USE} as held`,
      );
      if (shared.rows[0]?.held) {
        socket.unref(); // the connection must not keep an idle process alive
        return new Presence(client, socket, lost);
      }
      await client.end();
      return 'starting or stopping'; // the last process holds the lock exclusively and is about to stop the server
    } catch (error) {
      client.end().catch(() => undefined);
      return absenceOf(error);
    }
  }

  /** Creates the service's role and database if they do not exist. */
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
   * Asks whether no other process uses the server. If so, keeps new processes away from now on.
   * @param waitLimitMs how long connections that are being closed may take to disappear
   */
  async isLast(waitLimitMs: number): Promise<boolean> {
    this.socket.ref();
    const { rows } = await this.client.query<{ alone: boolean }>(
      `select pg_advisory_unlock_shared${IN_USE}, pg_try_advisory_lock${IN_USE} as alone`,
    );
    if (!rows[0]?.alone) return false;
    for (const deadline = performance.now() + waitLimitMs; ; await sleep(20)) {
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
  // The driver's timeout errors have no code.
  if (/timeout/i.test(messageOf(error))) return 'silent';
  if (/terminated unexpectedly/i.test(messageOf(error))) return 'not listening';
  throw error;
}
