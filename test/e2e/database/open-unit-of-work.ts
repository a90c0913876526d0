import { DataSource } from 'typeorm';
import { dataSourceOptions, type Pooler } from '../../../src/database/connection/data-source';
import { DatabaseProbe } from '../../../src/database/connection/database-probe';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';

export interface OpenUnitOfWork {
  readonly unitOfWork: UnitOfWork;
  readonly probe: DatabaseProbe;
  readonly dataSource: DataSource;
  close(): Promise<void>;
}

/** A unit of work on a pool of its own. */
export async function openUnitOfWork(
  url: string,
  overrides: Parameters<typeof dataSourceOptions>[1] = {},
  pooler: Pooler = 'off',
): Promise<OpenUnitOfWork> {
  const dataSource = await new DataSource(dataSourceOptions(url, overrides, pooler)).initialize();
  const probe = new DatabaseProbe(url);
  return {
    unitOfWork: new UnitOfWork(dataSource, probe),
    probe,
    dataSource,
    close: async () => {
      await probe.close();
      await dataSource.destroy();
    },
  };
}
