import { platformNames, type PlatformName } from '@app/mapper';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import type { Customer } from '../../../src/auth/customers/customer';
import { ConnectionsService } from '../../../src/connections/connections.service';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords } from '../../support/platforms/given-records';
import { nameOf, type Thing } from '../../support/records/matching-model';
import { portfolio, type ShapedThing } from '../../support/records/portfolio.arbitrary';
import { objectsOf, StoredRecords, type StoredRow } from '../../support/database/stored-records';
import { someRequest } from '../../support/app/request';

jest.setTimeout(300_000);

/** What one connect brings: some of what a feed has for a platform. */
interface Step {
  readonly platform: PlatformName;
  readonly feed: readonly ShapedThing[];
}

const step: fc.Arbitrary<Step> = fc.record({ platform: fc.constantFrom(...platformNames), feed: portfolio });

describe('any sequence of connects with records that change', () => {
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

  it('keeps records, links and IDs, and links what keys call for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async (steps) => {
        const customer: Customer = { id: (await service.openSession()).customerId, kind: 'demo' };
        const things = new Map<string, Thing>();
        let before: readonly StoredRow[] = [];
        for (const { platform, feed } of steps) {
          const brought = feed.filter(({ thing }) => thing.platform === platform);
          sources.give(
            customer.id,
            platform,
            brought.map(({ source }) => source),
          );
          await connections.connect(customer, platform, someRequest);
          for (const thing of newestOf(brought)) things.set(nameOf(thing), thing);

          const after = await stored.of(customer.id);
          const names = await namesOf(customer.id);
          expect(after.map(({ record }) => record).sort()).toEqual([...things.keys()].sort());
          expectTwoAtMost(after);
          expectKept(before, after, names.aliases);
          expectNoneLeftApart(after, things);
          expect(names.objects).toEqual([...new Set(after.map(({ canonicalId }) => canonicalId))].sort());
          const leadsTo = new Set(after.flatMap(({ references }) => Object.values(references)));
          expect([...leadsTo].filter((id) => !names.objects.includes(id))).toEqual([]);
          before = after;
        }
      }),
      { numRuns: randomCases(3) },
    );
  });

  async function namesOf(customerId: string) {
    const objects = await stored.query<{ id: string }>(
      'select id from canonical_objects where customer_id = $1 order by id',
      [customerId],
    );
    const aliases = await stored.query<{ alias_id: string; canonical_id: string }>(
      'select alias_id, canonical_id from canonical_aliases where customer_id = $1',
      [customerId],
    );
    return {
      objects: objects.map(({ id }) => id),
      aliases: new Map(aliases.map(({ alias_id, canonical_id }) => [alias_id, canonical_id])),
    };
  }
});

function newestOf(brought: readonly ShapedThing[]): readonly Thing[] {
  const newest = new Map<string, Thing>();
  for (const { thing } of brought) {
    if ((newest.get(nameOf(thing))?.version ?? -1) < thing.version) newest.set(nameOf(thing), thing);
  }
  return [...newest.values()];
}

/** No object has two records, or it has one of each platform and both are of one type. */
function expectTwoAtMost(rows: readonly StoredRow[]): void {
  for (const [first = '', second = first, ...more] of objectsOf(rows)) {
    expect(more).toEqual([]);
    const [platform, type] = first.split(' ');
    const [otherPlatform, otherType] = second.split(' ');
    expect(otherType).toBe(type);
    if (second !== first) expect(otherPlatform).not.toBe(platform);
  }
}

/** A record keeps its ID, unless that has become an alias; so records with one ID still have one. */
function expectKept(
  before: readonly StoredRow[],
  after: readonly StoredRow[],
  aliases: ReadonlyMap<string, string>,
): void {
  const now = new Map(after.map(({ record, canonicalId }) => [record, canonicalId]));
  for (const { record, canonicalId } of before) {
    expect(now.get(record)).toBe(aliases.get(canonicalId) ?? canonicalId);
  }
}

/** Two unlinked records whose key occurs once on each platform would have been linked. */
function expectNoneLeftApart(rows: readonly StoredRow[], things: ReadonlyMap<string, Thing>): void {
  const alone = objectsOf(rows).flatMap((records) => (records.length === 1 ? records : []));
  const places = new Map<string, Thing[]>();
  for (const thing of things.values()) {
    if (thing.key === undefined) continue;
    const place = `${thing.platform} ${thing.type} ${thing.key}`;
    places.set(place, [...(places.get(place) ?? []), thing]);
  }
  const leftApart = alone.filter((record) => {
    const thing = things.get(record);
    if (thing?.key === undefined) return false;
    const standsOnce = platformNames.every((platform) => {
      const there = places.get(`${platform} ${thing.type} ${thing.key}`) ?? [];
      return there.length === 1 && there.every((one) => alone.includes(nameOf(one)));
    });
    return standsOnce;
  });
  expect(leftApart).toEqual([]);
}
