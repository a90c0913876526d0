// Listings are read page by page on two instances while others change, add and remove records: nothing is missed, nothing comes twice.
import { api } from '../support/app/api';
import { startApp, type RunningApp } from '../support/app/app';
import { campaign } from '../support/campaign/campaign';
import { GivenRecords, record } from '../support/platforms/given-records';
import { connect } from '../support/customers/listings';
import { makeLive } from '../support/live/live-connections';
import { MovingPlatform } from '../support/platforms/moving-platform';
import { StoredRecords } from '../support/database/stored-records';
import { readPlatform } from '../support/platforms/read-platform';

/** Even numbers belong to records that exist all the time; records with odd numbers appear and disappear. */
const STANDING = Array.from({ length: 120 }, (_, place) => (place + 1) * 2);
const PAGE = 7;

const settings = { syncIntervalMs: 0, propagateWaitMs: 0, logLevel: 'error' } as const;

const payment = (id: number, more: object = {}) =>
  record('payment', { id, check_number: `CHK-${id}`, amount: '10.00', ...more });

campaign('pages', (campaign) => {
  const sources = new GivenRecords();
  let instances: readonly [RunningApp, RunningApp];
  let stored: StoredRecords;
  beforeAll(async () => {
    const first = await startApp(settings, [], sources);
    const { databaseUrl } = first;
    instances = [first, await startApp({ ...settings, databaseUrl }, [], sources)];
    stored = await StoredRecords.open(databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    const [first, second] = instances;
    await second.close();
    await first.close();
  });

  campaign.part('miss nothing and give nothing twice', async (time) => {
    const [first, second] = instances;
    const { key, customerId } = await first.openSession();
    const platform = new MovingPlatform(STANDING.map((id) => payment(id)));
    sources.use(customerId, 'platform_a', platform);
    await makeLive(stored, customerId, 'platform_a');
    await connect(api(first.url, key), 'platform_a');
    let reading = true;

    const change = async ({ url }: RunningApp, from: number): Promise<void> => {
      for (let step = from; reading; step += 1) {
        const id = STANDING[(step * 37) % STANDING.length];
        const { status } = await api(url, key).post('/propagate', {
          format: 'platform',
          platform: 'platform_a',
          platform_id: String(id),
          entity_type: 'payment',
          data: step % 3 === 0 ? { check_number: `CHK-${id}-${step}` } : { notes: `step ${step}` },
        });
        expect([200, 409]).toContain(status);
        campaign.count('changes');
      }
    };
    const comeAndGo = async (): Promise<void> => {
      for (let step = 0; reading; step += 1) {
        for (let odd = 1; odd < 12; odd += 2) {
          const id = ((step * 11 + odd) % 120) * 2 + 1;
          if (step % 2 === 0) platform.put(payment(id, { notes: `step ${step}` }));
          else platform.remove('payment', String((((step - 1) * 11 + odd) % 120) * 2 + 1));
        }
        await readPlatform(first, { customerId, platform: 'platform_a' });
        campaign.count('readings of the platform');
      }
    };
    const read = async ({ url }: RunningApp): Promise<void> => {
      const client = api(url, key);
      while (time.left()) {
        const ids: number[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const more = cursor === undefined ? '' : `&cursor=${cursor}`;
          const { status, body } = await client.get(
            `/objects?platform=platform_a&entity_type=payment&limit=${PAGE}${more}`,
          );
          expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
          ids.push(...body.data.map(({ id }: { id: string }) => Number(id)));
          cursor = body.next_cursor;
          campaign.count('pages');
        }
        expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
        const given = new Set(ids);
        expect(STANDING.filter((id) => !given.has(id))).toEqual([]);
        campaign.count('listings');
      }
    };

    const writers = [change(first, 0), change(second, 60), comeAndGo()];
    try {
      await Promise.all([read(first), read(second), read(second)]);
    } finally {
      reading = false;
      await Promise.all(writers);
    }
    expect(campaign.counted('changes')).toBeGreaterThan(0);
    expect(campaign.counted('readings of the platform')).toBeGreaterThan(0);
  });
});
