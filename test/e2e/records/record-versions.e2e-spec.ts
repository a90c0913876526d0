import { platformNames, type PlatformName } from '@app/mapper';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { versionColumns } from '../../../src/database/entities/record-columns';
import { recordsAt } from '../../../src/records/changes/record-versions.repository';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listing } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { portfolio, type ShapedThing } from '../../support/records/portfolio.arbitrary';
import { StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(300_000);

/** A connect of a platform with some records, or a note on some payment. */
type Step =
  | { readonly platform: PlatformName; readonly feed: readonly ShapedThing[] }
  | { readonly note: string; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ platform: fc.constantFrom(...platformNames), feed: portfolio }) },
  { weight: 1, arbitrary: fc.record({ note: fc.constantFrom('x', 'y', 'z'), which: fc.nat(20) }) },
);

const columns = versionColumns
  .map(({ name, type }) => (type === 'json' ? `r.${name}::text as ${name}` : `r.${name}`))
  .join(', ');
const order = 'order by r.platform, r.entity_type, r.platform_id';

describe('versions of records', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;

  beforeAll(async () => {
    service = await startApp({ logLevel: 'silent', syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  const present = (customerId: string) =>
    stored.query<object>(`select ${columns} from platform_records r where r.customer_id = $1 ${order}`, [
      customerId,
    ]);
  const at = (customerId: string, time: string) =>
    stored.query<object>(`select ${columns} from ${recordsAt('$2')} r where true ${order}`, [
      customerId,
      time,
    ]);
  const now = async (): Promise<string> => {
    const [row] = await stored.query<{ now: string }>('select clock_timestamp()::text as now');
    if (row === undefined) throw new Error('No time');
    return row.now;
  };

  it('show every earlier state as it was, whatever changed the records', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        const { key, customerId } = await service.openSession();
        const client = api(service.url, key);
        const states: { readonly time: string; readonly rows: readonly object[] }[] = [];
        for (const one of steps) {
          if ('feed' in one) {
            const brought = one.feed.filter(({ thing }) => thing.platform === one.platform);
            sources.give(
              customerId,
              one.platform,
              brought.map(({ source }) => source),
            );
            await connect(client, one.platform);
          } else await note(client, one);
          states.push({ rows: await present(customerId), time: await now() });
        }
        for (const { time, rows } of states) expect(await at(customerId, time)).toEqual(rows);
        await expectNamed(customerId);
      }),
      { numRuns: randomCases(4) },
    );
  });

  it('end with the record, and begin again when it comes back', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const payments = Array.from({ length: 20 }, (_, place) =>
      record('payment', { id: place + 1, amount: '10.00', check_number: `CHK-${place}` }),
    );
    const platform = new MovingPlatform(payments);
    sources.use(customerId, 'platform_a', platform);
    await makeLive(stored, customerId, 'platform_a');
    await connect(client, 'platform_a');
    const states = [{ rows: await present(customerId), time: await now() }];
    const readAll = async (): Promise<void> => {
      await readPlatform(service, { customerId, platform: 'platform_a' }, false);
      states.push({ rows: await present(customerId), time: await now() });
    };
    platform.remove('payment', '7');
    await readAll();
    platform.put(payments[6] ?? record('payment', { id: 7 }));
    await readAll();
    expect(states.map(({ rows }) => rows.length)).toEqual([20, 19, 20]);
    for (const { time, rows } of states) expect(await at(customerId, time)).toEqual(rows);
    await expectNamed(customerId);
  });

  it('of values beside the records are kept too', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const contract = { id: 1, number: 'C-1', title: 'Substructure', status: 'Approved' };
    sources.give(customerId, 'platform_a', [record('contract', contract, 'WorkOrderContract')]);
    await connect(client, 'platform_a');
    const [listed] = await listing(client, 'platform_a', 'contract');
    // The platform has one word for all of these, so which of them it is stands beside its record.
    const times: string[] = [];
    for (const status of ['in_progress', 'approved']) {
      const { body } = await client.post('/propagate', {
        format: 'canonical',
        entity_type: 'contract',
        canonical_id: listed?.canonical_id,
        data: { status },
      });
      expect(body).toMatchObject({ data: { canonical: { updated_fields: ['status'] } } });
      times.push(await now());
    }
    const kept = await stored.query<{ extra: string; known: boolean[] }>(
      `select extra::text as extra,
         array(select (since is null or since <= t) and until > t from unnest($2::timestamptz[]) t order by t) as known
       from extra_versions where customer_id = $1 order by until`,
      [customerId, times],
    );
    expect(kept).toEqual([
      { extra: '{}', known: [false, false] },
      { extra: '{"status":"in_progress"}', known: [true, false] },
    ]);
  });

  async function note(
    client: ReturnType<typeof api>,
    { note: text, which }: { note: string; which: number },
  ): Promise<void> {
    const all = (
      await Promise.all(platformNames.map((platform) => listing(client, platform, 'payment')))
    ).flat();
    const chosen = all[which % Math.max(all.length, 1)];
    if (chosen === undefined) return;
    const { status } = await client.post('/propagate', {
      format: 'canonical',
      entity_type: 'payment',
      canonical_id: chosen.canonical_id,
      data: { notes: text },
    });
    expect([200, 409, 422]).toContain(status);
  }

  /** Each version names the change that made it, and so does each end of one; the times are those of the changes. */
  async function expectNamed(customerId: string): Promise<void> {
    const unnamed = await stored.query(
      `select v.platform_id from (
         select customer_id, platform_id, changed_by, since from platform_records
         union all select customer_id, platform_id, changed_by, since from record_versions
         union all select customer_id, platform_id, ended_by, until from record_versions
       ) v left join changes c on c.customer_id = v.customer_id and c.id = v.changed_by and c.at = v.since
       where v.customer_id = $1 and c.id is null`,
      [customerId],
    );
    expect(unnamed).toEqual([]);
  }
});
