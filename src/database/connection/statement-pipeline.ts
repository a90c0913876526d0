import type { QueryResult } from 'pg';
import type { DatabaseClient } from './database-client';
import { DatabaseUnavailable, sqlStateOf, statementFailed } from './database-errors';
import { RoundTrip, RoundTripFailed, type PipelinedStatement } from './round-trip';
import { StatementNames } from './statement-names';

interface QueuedStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Must be sent on its own: a text without parameters may contain several commands. */
  readonly alone: boolean;
  readonly resolve: (result: QueryResult<object>) => void;
  readonly reject: (error: unknown) => void;
}

/** Shared by all sessions of the process, because one pooler may serve them. */
const statementNames = new StatementNames();

/** SQLSTATEs with which the server reports that a prepared statement is missing or has other columns. */
const LOST_STATEMENT: readonly unknown[] = ['26000', '0A000'];

/**
 * Sends the statements of one transaction. Statements that are issued in the same turn of the event loop, without
 * waiting for one another, share a round trip. The first batch begins the transaction; no statement runs outside of
 * it.
 */
export class StatementPipeline {
  private queued: QueuedStatement[] = [];
  private inFlight: Promise<void> | undefined;
  private begun = false;
  private mayBeOpen = false;
  /** Why statements are refused, for good or for now. */
  private refusal: (() => Error) | undefined;

  /**
   * @param opening statements that begin the transaction
   * @param prepared whether the session may keep statements prepared
   */
  constructor(
    private readonly client: DatabaseClient,
    private readonly opening: readonly string[],
    private readonly prepared: boolean,
  ) {}

  /** Whether a transaction may be open on the connection. */
  get isOpen(): boolean {
    return this.mayBeOpen;
  }

  /**
   * Sends a statement with all others of this turn.
   *
   * @throws QueryFailedError when it, or an earlier statement of the same batch, failed; DatabaseUnavailable when the
   *   transaction could not be begun
   */
  async send(sql: string, parameters: readonly unknown[], alone = false): Promise<QueryResult<object>> {
    this.throwIfRefused();
    return new Promise((resolve, reject) => {
      this.queued.push({ sql, parameters, alone, resolve, reject });
      queueMicrotask(this.flush);
    });
  }

  /** Sends a statement with the next batch, at the latest with the commit. If it fails, the batch fails. */
  sendLater(sql: string, parameters: readonly unknown[]): void {
    this.throwIfRefused();
    const ignore = (): void => undefined; // The other statements of the batch report its error.
    this.queued.push({ sql, parameters, alone: false, resolve: ignore, reject: ignore });
  }

  /**
   * Begins the transaction and waits until the pipeline is empty. Needed before statements that bypass the pipeline.
   */
  async drain(): Promise<void> {
    do {
      this.throwIfRefused();
      this.startBatch(this.queued, !this.begun);
      await this.inFlight;
    } while (this.queued.length > 0 || !this.begun);
    this.throwIfRefused();
  }

  /** Sends the queued statements and commits. @returns the command tag of the server's response */
  async commit(): Promise<string> {
    if (!this.begun && this.queued.length === 0) return 'COMMIT';
    return (await this.send('commit', [])).command;
  }

  /** Rolls back. Queued statements are not sent. */
  async rollBack(): Promise<void> {
    const unsent = this.queued;
    this.queued = [];
    for (const { reject } of unsent) reject(new Error('The transaction was rolled back'));
    await this.inFlight;
    await this.client.query('rollback');
    this.mayBeOpen = false;
  }

  /**
   * Refuses statements for a while.
   *
   * @returns a function that accepts them again
   */
  suspend(because: () => Error): () => void {
    this.throwIfRefused();
    this.refusal = because;
    return () => {
      if (this.refusal === because) this.refusal = undefined;
    };
  }

  /** Refuses statements for good. */
  close(because: () => Error): void {
    this.refusal = because;
  }

  /** @throws Error while statements are refused */
  throwIfRefused(): void {
    if (this.refusal !== undefined) throw this.refusal();
  }

  private readonly flush = (): void => this.startBatch(this.queued, false);

  private startBatch(waiting: readonly QueuedStatement[], evenEmpty: boolean): void {
    if (this.inFlight !== undefined || (waiting.length === 0 && !evenEmpty)) return;
    const alone = waiting.findIndex((one) => one.alone);
    // A statement that is sent on its own needs a transaction that has begun.
    const count = alone < 0 ? waiting.length : alone > 0 || !this.begun ? alone : 1;
    const batch = waiting.slice(0, count);
    this.queued = waiting.slice(count);
    this.inFlight = this.runBatch(batch).finally(() => {
      this.inFlight = undefined;
      this.flush();
    });
  }

  /** Never rejects: each statement's own promise reports its result. */
  private async runBatch(batch: readonly QueuedStatement[]): Promise<void> {
    const opening = this.begun ? [] : this.opening;
    this.mayBeOpen = true;
    try {
      const results = await this.exchange(opening, batch);
      this.begun = true;
      this.mayBeOpen = this.client.getTransactionStatus() !== 'I';
      for (const [place, { resolve }] of batch.entries()) {
        const result = results[opening.length + place];
        if (result !== undefined) resolve(result);
      }
    } catch (failure) {
      const { place, cause } = failure instanceof RoundTripFailed ? failure : { place: 0, cause: failure };
      const error =
        place < opening.length
          ? new DatabaseUnavailable('No transaction could be begun', { cause })
          : statementFailed(batch[place - opening.length]?.sql ?? '', cause);
      const concerned = [...batch];
      if (place < opening.length) {
        this.close(() => error);
        concerned.push(...this.queued.splice(0));
      }
      for (const { reject } of concerned) reject(error);
    }
  }

  private async exchange(
    opening: readonly string[],
    batch: readonly QueuedStatement[],
  ): Promise<readonly QueryResult<object>[]> {
    const [first] = batch;
    if (first?.alone) {
      // For several commands the driver returns a list of results.
      const result: unknown = await this.client.query(first.sql);
      return (Array.isArray(result) ? result : [result]).slice(-1) as QueryResult<object>[];
    }
    const statements = [...opening.map((sql) => ({ sql, parameters: [] })), ...batch].map(
      ({ sql, parameters }): PipelinedStatement => ({
        sql,
        parameters,
        name: this.prepared ? statementNames.of(sql) : undefined,
      }),
    );
    return new Promise((resolve, reject) => {
      const failed = (failure: RoundTripFailed): void => {
        if (LOST_STATEMENT.includes(sqlStateOf(failure.cause))) {
          this.client.abandon(new Error('The session has lost a statement', { cause: failure }));
        }
        reject(failure);
      };
      try {
        this.client.query(new RoundTrip(statements, resolve, failed));
      } catch (error) {
        // The statement was sent in part, so the state of the protocol is unknown.
        this.client.abandon(new Error('A statement could not be sent', { cause: error }));
        reject(new RoundTripFailed(opening.length, error));
      }
    });
  }
}
