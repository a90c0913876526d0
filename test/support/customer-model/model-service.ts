import { AgreementsModule } from '../../../src/terms/agreements/agreements.module';
import { RatesModule } from '../../../src/terms/rates/rates.module';
import { startApp } from '../app/app';
import { describedBy } from '../description/described-calls';
import { GivenRecords } from '../platforms/given-records';
import { StoredRecords } from '../database/stored-records';
import type { Service } from './customer';

/** Two instances on one database, for customers of the model. */
export async function startModelService(): Promise<Service & { close(): Promise<void> }> {
  const sources = new GivenRecords();
  const settings = { logLevel: 'error', syncIntervalMs: 0 } as const;
  const modules = [RatesModule, AgreementsModule];
  const first = await startApp(settings, modules, sources);
  const second = await startApp({ ...settings, databaseUrl: first.databaseUrl }, modules, sources);
  const stored = await StoredRecords.open(first.databaseUrl);
  describedBy(await (await fetch(`${first.url}/api/v1/openapi.json`)).json());
  return {
    instances: [first, second],
    sources,
    stored,
    met: new Set(),
    close: async () => {
      await stored.close();
      await second.close();
      await first.close();
    },
  };
}
