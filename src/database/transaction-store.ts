import { type EntityManager, QueryRunnerAlreadyReleasedError, type QueryResult } from 'typeorm';
import { ChunksFailed, copyIn } from './copy-in';
import type { DatabaseClient } from './database-client';
import { statementFailed } from './database-errors';
import type { Watch } from './patience';
import type { Store } from './store';
import type { WatchedQueryRunner } from './watched-query-runner';

/** The store of one transaction, on the transaction's own connection. */
export class TransactionStore implements Store {
  constructor(
    private readonly runner: WatchedQueryRunner,
    private readonly client: DatabaseClient,
    private readonly watch: Watch,
  ) {}

  get manager(): EntityManager {
    return this.runner.manager;
  }

  async query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const result: unknown = await this.runner.query(sql, [...parameters], true);
    return (result as QueryResult<Row>).records; // Which columns come back only the author of the SQL knows.
  }

  async copyIn(sql: string, chunks: AsyncIterable<string>): Promise<void> {
    const leave = this.occupy('a copy runs', sql);
    try {
      await this.watch.during(() => copyIn(this.client, sql, chunks));
    } catch (error) {
      throw error instanceof ChunksFailed ? error.cause : statementFailed(sql, error);
    } finally {
      leave();
    }
  }

  private occupy(by: string, sql: string): () => void {
    if (this.runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
    const leave = this.runner.occupy(by);
    this.runner.dataSource.logger.logQuery(sql, undefined, this.runner);
    return leave;
  }
}
