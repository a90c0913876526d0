import type { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';
import { DatabaseClient } from './database-client';
import type { Watch } from './patience';

type QueryParameters = Parameters<PostgresQueryRunner['query']>;

/** TypeORM's query runner, with every statement seen by the watch. */
export class WatchedQueryRunner extends PostgresQueryRunner {
  /** Why no statement can run now; completes "while …". */
  private occupiedBy: string | undefined;

  constructor(
    dataSource: DataSource,
    private readonly watch: Watch,
  ) {
    if (!(dataSource.driver instanceof PostgresDriver)) throw new Error('The data source is not PostgreSQL');
    super(dataSource.driver, 'master');
    this.manager = dataSource.createEntityManager(this);
  }

  override async connect(): Promise<DatabaseClient> {
    const client: unknown = await super.connect();
    if (client instanceof DatabaseClient) return client;
    throw new Error('The data source was not made with dataSourceOptions()');
  }

  override query(
    ...[sql, parameters, structured]: QueryParameters
  ): ReturnType<PostgresQueryRunner['query']> {
    return this.watch.during(() => {
      this.refuseWhileOccupied();
      return super.query(sql, parameters, structured);
    });
  }

  /**
   * Gives the connection to one statement that takes several exchanges.
   *
   * @returns ends the occupation
   */
  occupy(by: string): () => void {
    this.refuseWhileOccupied();
    this.occupiedBy = by;
    return () => (this.occupiedBy = undefined);
  }

  // The driver would queue the statement behind the copy; a copy whose lines await it would wait for ever.
  private refuseWhileOccupied(): void {
    if (this.occupiedBy === undefined) return;
    throw new Error(`No other statement can run in a transaction while ${this.occupiedBy}`);
  }
}
