import { RatesModule } from '../../../src/terms/rates/rates.module';
import { startApp, type RunningApp } from '../../support/app';
import { reproduceStatements } from '../../support/busy-books';
import { GivenRecords } from '../../support/given-records';

/** Complete statements that are asked for again: `CAMPAIGN_ROUNDS=5000` looks further. */
const ROUNDS = Number(process.env['CAMPAIGN_ROUNDS'] ?? 500);

jest.setTimeout(120_000 + ROUNDS * 5_000);

const settings = { propagateWaitMs: 0, logLevel: 'error' } as const;

describe('complete statements while others write, on two instances', () => {
  const sources = new GivenRecords();
  let instances: readonly [RunningApp, RunningApp];
  beforeAll(async () => {
    const first = await startApp(settings, [RatesModule], sources);
    const { databaseUrl } = first;
    instances = [first, await startApp({ ...settings, databaseUrl }, [RatesModule], sources)];
  });
  afterAll(async () => {
    const [first, second] = instances;
    await second.close();
    await first.close();
  });

  it('come again with their own time', async () => {
    const { differing, ...done } = await reproduceStatements(instances, sources, ROUNDS);
    process.stdout.write(`${JSON.stringify(done)}\n`);
    expect(done.complete).toBeGreaterThanOrEqual(ROUNDS);
    expect(done.changes).toBeGreaterThan(ROUNDS / 10);
    expect(differing).toEqual([]);
  });
});
