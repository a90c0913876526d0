import { platformNames, type PlatformName } from '@app/mapper';
import { fc, looksFar, randomCases } from '../../../libs/mapper/src/testing/property';
import type { Customer } from '../../../src/auth/customers/customer';
import { ConnectionsService } from '../../../src/connections/connections.service';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords } from '../../support/platforms/given-records';
import { expectFirstLoad, nameOf } from '../../support/records/matching-model';
import { portfolio, type ShapedThing } from '../../support/records/portfolio.arbitrary';
import { objectsOf, StoredRecords, type StoredRow } from '../../support/database/stored-records';
import { someRequest } from '../../support/app/request';

jest.setTimeout(300_000);

describe('a first load of random records', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  let connections: ConnectionsService;

  beforeAll(async () => {
    service = await startApp({ logLevel: 'silent' }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    connections = service.app.get(ConnectionsService, { strict: false });
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  const newCustomer = async (): Promise<Customer> => ({
    id: (await service.openSession()).customerId,
    kind: 'demo',
  });
  const load = async (
    customer: Customer,
    feed: readonly ShapedThing[],
    order: readonly PlatformName[],
  ): Promise<readonly StoredRow[]> => {
    for (const platform of order) {
      const brought = feed.filter(({ thing }) => thing.platform === platform).map(({ source }) => source);
      sources.give(customer.id, platform, brought);
      await connections.connect(customer, platform, someRequest);
    }
    return stored.of(customer.id);
  };
  const seen = { key: 0, 'key in parent': 0, native: 0, payload: 0, linked: 0, byParents: 0, older: 0 };

  it('gives the links, references and IDs that the rules give, in any order of records and connects', async () => {
    await fc.assert(
      fc.asyncProperty(portfolio, fc.infiniteStream(fc.integer()), async (feed, numbers) => {
        const customer = await newCustomer();
        const things = feed.map(({ thing }) => thing);
        const forth = await load(customer, feed, platformNames);
        const expected = expectFirstLoad(customer.id, things, platformNames);
        expect(placed(forth)).toEqual(placed(expected.placements.values()));
        expect(objectsOf(forth)).toEqual(expected.objects);
        expect(forth.map(({ record }) => record).sort()).toEqual([...new Set(things.map(nameOf))].sort());

        await stored.forget(customer.id);
        const back = await load(customer, shuffled(feed, numbers), platformNames.toReversed());
        const expectedBack = expectFirstLoad(customer.id, things, platformNames.toReversed());
        expect(placed(back)).toEqual(placed(expectedBack.placements.values()));
        expect(objectsOf(back)).toEqual(objectsOf(forth));
        expect(back.map(({ payload }) => payload)).toEqual(forth.map(({ payload }) => payload));
        const firm = firmIds(forth, expected.placements);
        expect(firmIds(back, expected.placements)).toEqual(firm);

        expect(await load(customer, shuffled(feed, numbers), platformNames)).toEqual(back);

        for (const { basis } of expected.placements.values()) seen[basis] += 1;
        const linked = expected.objects.filter(({ length }) => length === 2);
        const keyRepeats = (record: string) => expected.placements.get(record)?.keyStandsOnce === false;
        seen.linked += linked.length;
        seen.byParents += linked.filter((records) => records.some(keyRepeats)).length;
        seen.older += things.filter(({ version }) => version > 0).length;
      }),
      { numRuns: randomCases(5) },
    );
    // Every kind of ID and of link was among them.
    const { payload, ...all } = seen;
    const { key, linked } = all;
    const kinds = looksFar ? all : { key, linked };
    const missed = Object.entries(kinds).filter(([, count]) => count === 0);
    // A record without an ID of its own is not stored.
    expect({ missed, payload }).toEqual({ missed: [], payload: 0 });
  });
});

interface Placed {
  readonly record: string;
  readonly canonicalId: string;
  readonly references: Readonly<Record<string, string | undefined>>;
}

/** What is compared, in one order. */
function placed(rows: Iterable<Placed>): readonly Placed[] {
  return [...rows]
    .map(({ record, canonicalId, references }) => ({ record, canonicalId, references }))
    .sort((one, other) => (one.record < other.record ? -1 : 1));
}

/** IDs of the objects whose records all have a key that occurs once on their platform. */
function firmIds(
  rows: readonly StoredRow[],
  placements: ReturnType<typeof expectFirstLoad>['placements'],
): readonly string[] {
  const infirm = new Set(
    rows.filter(({ record }) => !placements.get(record)?.keyStandsOnce).map(({ canonicalId }) => canonicalId),
  );
  return rows
    .filter(({ canonicalId }) => !infirm.has(canonicalId))
    .map((row) => `${row.record} ${row.canonicalId}`);
}

function shuffled<Item>(items: readonly Item[], numbers: Iterable<number>): readonly Item[] {
  const random = numbers[Symbol.iterator]();
  return items
    .map((item) => ({ item, rank: Number(random.next().value) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}
