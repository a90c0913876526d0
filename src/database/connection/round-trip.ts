import { Query, type Connection, type QueryResult, type Submittable } from 'pg';

/** One statement of a round trip. It has one command. */
export interface PipelinedStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Under which the session keeps it prepared; undefined for a statement that is planned each time. */
  readonly name: string | undefined;
}

/** A statement of a round trip failed; those before it were run, those behind it were not. */
export class RoundTripFailed extends Error {
  /** @param place of the statement that failed; the first when nobody knows */
  constructor(
    readonly place: number,
    override readonly cause: unknown,
  ) {
    super('A statement failed');
  }
}

/** What the driver calls on a query under way. Its own type names only `submit`. */
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
 * Several statements that go to the server at once and are answered at once. Each sees what committed before it ran, as
 * if it had been sent by itself. When one fails, the server runs none behind it, so what follows a `begin` is never run
 * outside of its transaction.
 *
 * The driver's own queries do the work; they only do not end the trip one by one.
 */
export class RoundTrip implements Submittable, DriverCallbacks {
  private readonly queries: readonly DriverQuery[];
  private readonly results: QueryResult<object>[] = [];
  /** What the driver could not make of a row. */
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
      // What is given to it as an object, the driver copies property by property, at the cost of the whole query.
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
    // The one end of the trip comes behind the last statement.
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
    // Its result is whole, which is all it waits for.
    query?.handleReadyForQuery(connection);
  }

  handleReadyForQuery(): void {
    if (this.unreadable === undefined) this.done(this.results);
    else this.failed(new RoundTripFailed(0, this.unreadable));
  }

  handleError(error: unknown, connection: DriverConnection): void {
    const place = Math.min(this.results.length, this.queries.length - 1);
    // The server has not looked at these, so it does not know their names.
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
