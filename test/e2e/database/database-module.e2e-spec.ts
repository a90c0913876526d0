import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { ConfigModule } from '../../../src/runtime/config/config.module';
import { readEnvironment } from '../../../src/runtime/config/environment';
import { dataSourceOptions } from '../../../src/database/connection/data-source';
import { DatabaseModule } from '../../../src/database/database.module';
import { DatabaseProbe } from '../../../src/database/connection/database-probe';
import { ENTITIES } from '../../../src/database/entities/all';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';

// Each test takes a moment only, but machines may be busy.
jest.setTimeout(30_000);

const moduleOn = (databaseUrl: string | undefined): Promise<TestingModule> =>
  Test.createTestingModule({
    imports: [ConfigModule.forRoot({ ...readEnvironment({}), databaseUrl }), DatabaseModule],
  }).compile();

describe('DatabaseModule', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await migratedDatabase();
  });
  afterAll(() => database.drop());

  it('gives the unit of work, which knows every entity, and the probe', async () => {
    const module = await moduleOn(database.url);
    const counts = ENTITIES.map((entity) =>
      module.get(UnitOfWork).run((store) => store.manager.count(entity)),
    );
    await expect(Promise.all(counts)).resolves.toEqual(ENTITIES.map(() => 0));
    await expect(module.get(DatabaseProbe).check()).resolves.toBe(true);
    await module.close();
  });

  it('leaves no connection open when it is closed', async () => {
    const module = await moduleOn(database.url);
    await module.get(UnitOfWork).run((store) => store.query('select 1'));
    await module.get(DatabaseProbe).check();
    await module.close();
    await expect(module.get(DatabaseProbe).check()).resolves.toBe(false);

    const onlooker = await new DataSource(dataSourceOptions(database.url, { poolSize: 1 })).initialize();
    const others = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    // The server takes a moment to end a session whose client has left.
    while ((await onlooker.query<unknown[]>(others)).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await onlooker.destroy();
  });

  it('does not start without a database', async () => {
    await expect(moduleOn('postgres://nobody@127.0.0.1:1/nothing')).rejects.toThrow('ECONNREFUSED');
    await expect(moduleOn(undefined)).rejects.toThrow('without the address of a database');
  });
});
