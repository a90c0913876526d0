import type { QueryResult } from 'pg';
import type { DatabaseClient } from './database-client';
import { DatabaseUnavailable, sqlStateOf, statementFailed } from './database-errors';
import { RoundTrip, TripFailed, type TripStatement } from './round-trip';
import { statementName } from './statement-names';

interface Passenger {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Goes by itself: without parameters a text may have several commands. */
  readonly alone: boolean;
  readonly resolve: (result: QueryResult<object>) => void;
  readonly reject: (error: unknown) => void;
}

/** How a session says that it does not have a statement that we think it has, or has it for other columns. */
const LOST_STATEMENT: readonly unknown[] = ['26000', '0A000'];

/**
 * The statements of one transaction on their way to the server. Those that are asked for in one turn, none waiting for
 * another, share a round trip. The transaction is begun with the first of them, and no statement runs outside of it.
 */
export class Trips {
  private waiting: Passenger[] = [];
  private travelling: Promise<void> | undefined;
  private begun = false;
  private opened = false;
  /** Why no statement can run any more, or now. */
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
  get open(): boolean {
    return this.opened;
  }

  /**
   * Sends a statement with all others of this turn.
   *
   * @throws QueryFailedError when it, or one before it in the same trip, failed; DatabaseUnavailable when the transaction
   *   could not be begun
   */
  async send(sql: string, parameters: readonly unknown[], alone = false): Promise<QueryResult<object>> {
    this.refuseNow();
    return new Promise((resolve, reject) => {
      this.waiting.push({ sql, parameters, alone, resolve, reject });
      queueMicrotask(this.depart);
    });
  }

  /** Sends a statement with the next ones, at the latest with the commit. When it fails, they fail. */
  sendLater(sql: string, parameters: readonly unknown[]): void {
    this.refuseNow();
    const ignore = (): void => undefined; // Whoever travels with it hears of its error.
    this.waiting.push({ sql, parameters, alone: false, resolve: ignore, reject: ignore });
  }

  /** Begins the transaction and waits until nothing is under way, for statements that go another way. */
  async arrive(): Promise<void> {
    do {
      this.refuseNow();
      this.set(this.waiting, !this.begun);
      await this.travelling;
    } while (this.waiting.length > 0 || !this.begun);
    this.refuseNow();
  }

  /** Sends what still waits, and commits. @returns what the server says it did */
  async commit(): Promise<string> {
    if (!this.begun && this.waiting.length === 0) return 'COMMIT';
    return (await this.send('commit', [])).command;
  }

  /** Rolls back. What still waits is not sent. */
  async rollBack(): Promise<void> {
    const unsent = this.waiting;
    this.waiting = [];
    for (const { reject } of unsent) reject(new Error('The transaction was rolled back'));
    await this.travelling;
    await this.client.query('rollback');
    this.opened = false;
  }

  /**
   * Refuses statements for a while.
   *
   * @returns takes them again
   */
  refuse(because: () => Error): () => void {
    this.refuseNow();
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
  refuseNow(): void {
    if (this.refusal !== undefined) throw this.refusal();
  }

  private readonly depart = (): void => this.set(this.waiting, false);

  private set(waiting: readonly Passenger[], evenEmpty: boolean): void {
    if (this.travelling !== undefined || (waiting.length === 0 && !evenEmpty)) return;
    const alone = waiting.findIndex((one) => one.alone);
    // One that goes alone comes when the transaction is begun.
    const count = alone < 0 ? waiting.length : alone > 0 || !this.begun ? alone : 1;
    const load = waiting.slice(0, count);
    this.waiting = waiting.slice(count);
    this.travelling = this.travel(load).finally(() => {
      this.travelling = undefined;
      this.depart();
    });
  }

  /** Never rejects: whoever asked for a statement hears what became of it. */
  private async travel(load: readonly Passenger[]): Promise<void> {
    const opening = this.begun ? [] : this.opening;
    this.opened = true;
    try {
      const results = await this.go(opening, load);
      this.begun = true;
      this.opened = this.client.getTransactionStatus() !== 'I';
      for (const [place, { resolve }] of load.entries()) {
        const result = results[opening.length + place];
        if (result !== undefined) resolve(result);
      }
    } catch (failure) {
      const { place, cause } = failure instanceof TripFailed ? failure : { place: 0, cause: failure };
      const error =
        place < opening.length
          ? new DatabaseUnavailable('No transaction could be begun', { cause })
          : statementFailed(load[place - opening.length]?.sql ?? '', cause);
      const concerned = [...load];
      if (place < opening.length) {
        this.close(() => error);
        concerned.push(...this.waiting.splice(0));
      }
      for (const { reject } of concerned) reject(error);
    }
  }

  private async go(
    opening: readonly string[],
    load: readonly Passenger[],
  ): Promise<readonly QueryResult<object>[]> {
    const [first] = load;
    if (first?.alone) {
      // Of several commands the driver gives a list of results.
      const result: unknown = await this.client.query(first.sql);
      return (Array.isArray(result) ? result : [result]).slice(-1) as QueryResult<object>[];
    }
    const statements = [...opening.map((sql) => ({ sql, parameters: [] })), ...load].map(
      ({ sql, parameters }): TripStatement => ({
        sql,
        parameters,
        name: this.prepared ? statementName(sql) : undefined,
      }),
    );
    return new Promise((resolve, reject) => {
      const failed = (failure: TripFailed): void => {
        if (LOST_STATEMENT.includes(sqlStateOf(failure.cause))) {
          this.client.abandon(new Error('The session has lost a statement', { cause: failure }));
        }
        reject(failure);
      };
      try {
        this.client.query(new RoundTrip(statements, resolve, failed));
      } catch (error) {
        // It was sent in part, and nobody knows what the server waits for.
        this.client.abandon(new Error('A statement could not be sent', { cause: error }));
        reject(new TripFailed(opening.length, error));
      }
    });
  }
}
