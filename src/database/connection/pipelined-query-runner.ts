import { QueryResult, QueryRunnerAlreadyReleasedError, type DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';
import type { DatabaseClient } from './database-client';
import type { StatementPipeline } from './statement-pipeline';

type QueryParameters = Parameters<PostgresQueryRunner['query']>;

/** Commands whose result TypeORM expects as the rows together with their number. */
const COUNTED: ReadonlySet<string> = new Set(['DELETE', 'UPDATE']);

/**
 * TypeORM's query runner inside a unit of work's transaction. The statements of TypeORM's repositories use the same
 * pipeline as other SQL: statements of one turn go to the server together.
 */
export class PipelinedQueryRunner extends PostgresQueryRunner {
  constructor(
    dataSource: DataSource,
    client: DatabaseClient,
    private readonly pipeline: StatementPipeline,
  ) {
    if (!(dataSource.driver instanceof PostgresDriver)) throw new Error('The data source is not PostgreSQL');
    super(dataSource.driver, 'master');
    this.databaseConnection = client;
    // So that transactions inside this one become savepoints.
    this.isTransactionActive = true;
    this.transactionDepth = 1;
    this.manager = dataSource.createEntityManager(this);
  }

  /**
   * The same results as TypeORM's own runner: rows, rows with their number for an update or delete, or a structured
   * result.
   */
  override async query(
    ...[sql, parameters = [], structured = false]: QueryParameters
  ): ReturnType<PostgresQueryRunner['query']> {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    if (!Array.isArray(parameters))
      throw new TypeError('PostgreSQL numbers parameters; it has no named ones');
    const { command, rows, rowCount } = await this.pipeline.send(sql, parameters, parameters.length === 0);
    const raw = COUNTED.has(command) ? [rows, rowCount] : rows;
    if (!structured) return raw;
    return Object.assign(new QueryResult(), { raw, records: rows, affected: rowCount ?? undefined });
  }
}
