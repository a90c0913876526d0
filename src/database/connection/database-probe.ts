import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseClient } from './database-client';
import { sqlStateOf } from './database-errors';
import { APPLICATION_NAME } from './data-source';
import type { ProbeResult, Heartbeat } from './heartbeat';
import { PROBE_LIMIT_MS } from './limits';

/** Checks whether the database responds, on a separate connection: a busy pool does not mean a dead database. */
export class DatabaseProbe implements Heartbeat, OnApplicationShutdown {
  private readonly log = new Logger('Database');
  private client: DatabaseClient | undefined;
  private asking: Promise<ProbeResult> | undefined;
  private last: ProbeResult = 'ready';
  private closed = false;

  constructor(private readonly databaseUrl: string) {}

  /** Returns within 1.2 s whether the database is ready to work. Never rejects. */
  async check(): Promise<boolean> {
    return (await this.answer()) === 'ready';
  }

  /** The database's response within 1.2 s, or its absence. Never rejects. Concurrent calls share one probe. */
  answer(): Promise<ProbeResult> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    return this.asking;
  }

  /** Runs after all requests have been answered, because work under way needs the heartbeat until then. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Closes the connection for good. */
  async close(): Promise<void> {
    this.closed = true;
    const client = this.client;
    this.client = undefined;
    await client?.end();
  }

  private async ask(): Promise<ProbeResult> {
    if (this.closed) return 'refusing'; // Not ready, but not lost either.
    const limit = new AbortController();
    // A busy process may run the timer late, when the response has arrived but is unread. The event loop reads between
    // a timer and an immediate, so the response gets one more chance.
    const timer = setTimeout(
      () => setImmediate(() => limit.abort(new Error(`No answer within ${PROBE_LIMIT_MS} ms`))),
      PROBE_LIMIT_MS,
    );
    try {
      await this.selectOne(limit.signal);
      return this.noted('ready');
    } catch (error) {
      if (limit.signal.aborted) return this.noted('silent', error);
      return this.noted(sqlStateOf(error) === undefined ? 'unreachable' : 'refusing', error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A connection from the last probe may have died since, so its failure does not count yet. */
  private async selectOne(limit: AbortSignal): Promise<void> {
    const kept = this.client;
    if (kept !== undefined) {
      try {
        await this.on(kept, limit, () => kept.query('select 1'));
        return;
      } catch (error) {
        if (limit.aborted) throw error;
      }
    }
    const fresh = new DatabaseClient({
      connectionString: this.databaseUrl,
      application_name: `${APPLICATION_NAME} probe`,
    });
    await this.on(fresh, limit, async () => {
      await fresh.connect();
      await fresh.query('select 1');
    });
  }

  private async on(
    client: DatabaseClient,
    limit: AbortSignal,
    question: () => Promise<unknown>,
  ): Promise<void> {
    const abandon = (): void => client.abandon(limit.reason as Error); // ask() aborts with an Error.
    limit.addEventListener('abort', abandon);
    this.client = undefined;
    try {
      await question();
      if (this.closed) await client.end();
      else this.client = client;
    } catch (error) {
      client.abandon(new Error('The probe gave the connection up', { cause: error }));
      throw error;
    } finally {
      limit.removeEventListener('abort', abandon);
    }
  }

  /** Logs one line when the database stops responding, and one when it responds again. */
  private noted(answer: ProbeResult, error?: unknown): ProbeResult {
    if ((answer === 'ready') !== (this.last === 'ready')) {
      if (answer === 'ready') this.log.log('The database answers again');
      else this.log.warn(`The database does not answer: ${String(error)}`);
    }
    this.last = answer;
    return answer;
  }
}
