import { setTimeout as sleep } from 'node:timers/promises';
import { Publication } from '../../../src/sync/reading/publication';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { listing } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(60_000);

/** The tables that a server of the database empties when it recovers from a crash. */
const unlogged = [
  'staged_records',
  'staged_sightings',
  'staged_placements',
  'staged_merges',
  'sync_checkpoints',
];

describe('a run whose database recovers from a crash while the service goes on', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    Object.assign(service.app.get(SyncTimes, { strict: false }), { lease: 1_000 });
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open() {
    const { key, customerId } = await service.openSession();
    const platform = new MovingPlatform([
      record('project', { id: 1, project_number: 'P-1' }),
      record('payment', { id: 2, amount: '10.00', check_number: 'CHK-2' }),
      record('payment', { id: 3, amount: '10.00', check_number: 'CHK-3' }),
    ]);
    platform.pageSize = 1;
    sources.use(customerId, 'platform_a', platform);
    await makeLive(stored, customerId, 'platform_a');
    const crash = async (): Promise<void> => {
      for (const table of unlogged)
        await stored.query(`delete from ${table} where customer_id = $1`, [customerId]);
    };
    /** Waits until the reading has come so far, then crashes. */
    const crashBehind = async (scope: string, records: number): Promise<void> => {
      const reached = () =>
        stored.query(
          'select 1 from sync_checkpoints where customer_id = $1 and scope = $2 and records = $3',
          [customerId, scope, records],
        );
      while ((await reached()).length === 0) await sleep(10);
      await crash();
    };
    return { client: api(service.url, key), platform, crash, crashBehind };
  }

  async function expectWhole({ client }: Pick<Awaited<ReturnType<typeof open>>, 'client'>): Promise<void> {
    const { status, body } = await client.post('/connect', { platform: 'platform_a' });
    expect({ status, data: body.data }).toMatchObject({
      status: 200,
      data: { status: 'connected', entities: { projects: 1, payments: 2 } },
    });
    expect((await listing(client, 'platform_a', 'payment')).map(({ id }) => id)).toEqual(['2', '3']);
    expect(await listing(client, 'platform_a', 'project')).toHaveLength(1);
  }

  it.each([
    ['in the middle of a list', 'payment', 1, 'payment', 1],
    ['between two lists', 'payment', 0, 'invoice', 0],
  ] as const)('reads again what was lost %s', async (_, entityType, place, scope, records) => {
    const customer = await open();
    const { platform, crashBehind } = customer;
    platform.beforePage = async (...at) => {
      if (at[0] !== entityType || at[1] !== place) return;
      platform.beforePage = () => Promise.resolve();
      await crashBehind(scope, records);
    };
    await expectWhole(customer);
  });

  it('reads again what was lost behind the last list', async () => {
    const customer = await open();
    const publication = service.app.get(Publication, { strict: false });
    const publish = publication.publish.bind(publication);
    jest.spyOn(publication, 'publish').mockImplementationOnce(async (...given) => {
      await customer.crash();
      return publish(...given);
    });
    await expectWhole(customer);
  });
});
