import { QueryRunnerAlreadyReleasedError, type DataSource, type EntityManager } from 'typeorm';
import { CopySourceFailed, copyIn } from './copy-in';
import type { DatabaseClient } from '../connection/database-client';
import { statementFailed } from '../connection/database-errors';
import { CustomerTransaction, type Store } from './store';
import { setOnAllServers } from '../connection/on-all-servers';
import type { StatementPipeline } from '../connection/statement-pipeline';
import { PipelinedQueryRunner } from '../connection/pipelined-query-runner';

/**
 * The coordinator of a Citus cluster cannot plan a statement on several tables before it knows the customer. It has this
 * setting of Citus, and plans as it usually does.
 */
const PLAN_FOR_ANY_PARAMETERS = `select set_config('plan_cache_mode',
  case when current_setting('citus.shard_count', true) is null then 'force_generic_plan'
    else current_setting('plan_cache_mode') end, true)`;

/** The store of one transaction, on the transaction's own connection. */
export class TransactionStore implements Store {
  private runner: PipelinedQueryRunner | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: DatabaseClient,
    private readonly pipeline: StatementPipeline,
  ) {}

  /** Created at its first use, because most work does not use it. */
  get manager(): EntityManager {
    this.runner ??= new PipelinedQueryRunner(this.dataSource, this.client, this.pipeline);
    return this.runner.manager;
  }

  forCustomer(customerId: string): CustomerTransaction {
    return new CustomerTransaction(this, customerId);
  }

  async query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pipeline.send(sql, parameters, parameters.length === 0);
    return rows as Row[]; // Only the author of the SQL knows its columns.
  }

  async execute(sql: string, parameters: readonly unknown[]): Promise<number> {
    const { rowCount } = await this.pipeline.send(sql, parameters);
    return rowCount ?? 0;
  }

  queryLater(sql: string, parameters: readonly unknown[]): void {
    this.pipeline.sendLater(sql, parameters);
  }

  async set(setting: string): Promise<void> {
    await this.query(setOnAllServers(setting));
  }

  commitWithoutFlush(): void {
    this.queryLater('set local synchronous_commit = off', []);
  }

  planForAnyParameters(): void {
    this.queryLater(PLAN_FOR_ANY_PARAMETERS, []);
  }

  async copyIn(sql: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    await this.pipeline.drain();
    const leave = this.pipeline.suspend(
      () => new Error('No other statement can run in a transaction while a copy runs'),
    );
    try {
      await copyIn(this.client, sql, chunks);
    } catch (error) {
      throw error instanceof CopySourceFailed ? error.cause : statementFailed(sql, error);
    } finally {
      leave();
    }
  }

  /** Refuses all further statements. */
  async end(): Promise<void> {
    this.pipeline.close(() => new QueryRunnerAlreadyReleasedError());
    await this.runner?.release();
  }
}
