import { Query, type Connection, type QueryResult, type Submittable } from 'pg';

/** One statement of a round trip. It has one command. */
export interface PipelinedStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The name under which the session keeps the statement prepared; undefined if it is planned each time. */
  readonly name: string | undefined;
}

/** A statement of a round trip failed. The statements before it ran, those after it did not. */
export class RoundTripFailed extends Error {
  /** @param place index of the failed statement; 0 if it is unknown */
  constructor(
    readonly place: number,
    override readonly cause: unknown,
  ) {
    super('A statement failed');
  }
}

/** The callbacks that the driver invokes on a running query. Its own type declares only `submit`. */
interface DriverCallbacks {
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleEmptyQuery(connection: Connection): void;
  handlePortalSuspended(connection: Connection): void;
  handleCopyInResponse(connection: Connection): void;
  handleCopyData(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}
type DriverQuery = Query &
  DriverCallbacks & { name?: string | undefined; readonly text: string; queryMode?: string };

/** The driver's connection, with its list of the named statements that were sent and not yet confirmed. */
type DriverConnection = Connection & { readonly submittedNamedStatements: Record<string, string> };

/**
 * Several statements that are sent to the server together and answered together. Each sees what was committed before
 * it ran, as if it had been sent alone. If one fails, the server skips those after it, so nothing after a `begin`
 * runs outside of its transaction.
 *
 * The driver's own queries do the work. Only the synchronisation at the end of each query is suppressed.
 */
export class RoundTrip implements Submittable, DriverCallbacks {
  private readonly queries: readonly DriverQuery[];
  private readonly results: QueryResult<object>[] = [];
  /** The driver's error while it decoded a row. */
  private unreadable: unknown;

  /**
   * @param done called once, with a result for each statement when the server is ready for more
   * @param failed called once in its place; the server may still have to say that it is ready
   */
  constructor(
    readonly statements: readonly PipelinedStatement[],
    private readonly done: (results: readonly QueryResult<object>[]) => void,
    private readonly failed: (failure: RoundTripFailed) => void,
  ) {
    this.queries = statements.map(({ sql, parameters, name }) => {
      const keep = (error: unknown, result: unknown): void => {
        this.unreadable ??= error ?? undefined;
        this.results.push(result as QueryResult<object>); // The driver builds a whole result.
      };
      // Given an object, the driver would copy it property by property, which costs as much as the whole query.
      const query = new Query(sql, [...parameters], keep) as DriverQuery;
      query.name = name;
      // The driver knows this mode, its types do not: without it a statement without parameters would end the trip.
      query.queryMode = 'extended';
      return query;
    });
  }

  /** Name and text of the statement that is being answered: the driver notes that the session has it. */
  get name(): string | undefined {
    return this.current?.name;
  }

  get text(): string | undefined {
    return this.current?.text;
  }

  /** @throws Error for a parameter that cannot be sent; the connection cannot be used after that */
  submit(connection: Connection): void {
    // The only synchronisation follows the last statement.
    const part = Object.create(connection, { sync: { value: () => undefined } }) as Connection;
    connection.stream.cork();
    try {
      for (const query of this.queries) {
        const problem: unknown = query.submit(part);
        if (problem ?? this.unreadable) throw problem ?? this.unreadable;
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription(message: unknown): void {
    this.current?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.current?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    const query = this.current;
    query?.handleCommandComplete(message, connection);
    // The result is complete.
    query?.handleReadyForQuery(connection);
  }

  handleReadyForQuery(): void {
    if (this.unreadable === undefined) this.done(this.results);
    else this.failed(new RoundTripFailed(0, this.unreadable));
  }

  handleError(error: unknown, connection: DriverConnection): void {
    const place = Math.min(this.results.length, this.queries.length - 1);
    // The server has not processed these statements, so it does not know their names.
    for (const { name } of this.queries.slice(place)) {
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    }
    this.failed(new RoundTripFailed(place, error));
  }

  handleEmptyQuery(connection: Connection): void {
    this.current?.handleEmptyQuery(connection);
  }

  handlePortalSuspended(connection: Connection): void {
    this.current?.handlePortalSuspended(connection);
  }

  handleCopyInResponse(connection: Connection): void {
    this.current?.handleCopyInResponse(connection);
  }

  handleCopyData(message: unknown, connection: Connection): void {
    this.current?.handleCopyData(message, connection);
  }

  private get current(): DriverQuery | undefined {
    return this.queries[this.results.length];
  }
}
