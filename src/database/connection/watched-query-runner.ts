import type { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner';
import type { DatabaseClient } from './database-client';
import type { Watch } from './patience';
import type { Trips } from './trips';

type QueryParameters = Parameters<PostgresQueryRunner['query']>;

/** TypeORM's query runner inside a transaction of ours, with every statement seen by the watch. */
export class WatchedQueryRunner extends PostgresQueryRunner {
  constructor(
    dataSource: DataSource,
    client: DatabaseClient,
    private readonly trips: Trips,
    private readonly watch: Watch,
  ) {
    if (!(dataSource.driver instanceof PostgresDriver)) throw new Error('The data source is not PostgreSQL');
    super(dataSource.driver, 'master');
    this.databaseConnection = client;
    // So that transactions inside this one become savepoints.
    this.isTransactionActive = true;
    this.transactionDepth = 1;
    this.manager = dataSource.createEntityManager(this);
  }

  override query(
    ...[sql, parameters, structured]: QueryParameters
  ): ReturnType<PostgresQueryRunner['query']> {
    return this.watch.during(async (): Promise<unknown> => {
      if (!this.isReleased) await this.trips.arrive();
      return super.query(sql, parameters, structured);
    });
  }
}
