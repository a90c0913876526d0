import { canonicalId, platformNames, type PlatformName } from '@app/mapper';
import { fc, looksFar, randomCases } from '../../../libs/mapper/src/testing/property';
import { ApiError } from '../../../src/common/errors/api-error';
import type { NewDecision } from '../../../src/matching/decisions/decide';
import { MatchingDecisions } from '../../../src/matching/decisions/decisions.service';
import { startApp, type RunningApp } from '../../support/app/app';
import { publishThings, type StagedThing as Thing } from '../../support/records/staged-things';
import { objectsOf, StoredRecords } from '../../support/database/stored-records';

// Hundreds of loads: a busy machine takes minutes for them.
jest.setTimeout(300_000);

// The list is the registry's own, so the third platform counts wherever platforms are counted.
const third = 'platform_c' as PlatformName;
const names = platformNames as PlatformName[];
const orders: readonly (readonly number[])[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

/** Each platform has projects P1 and P2; contracts choose among two keys, and one project or none. */
const contracts: fc.Arbitrary<readonly Thing[]> = fc
  .array(
    fc.record({
      place: fc.integer({ min: 0, max: 2 }),
      key: fc.constantFrom('k1', 'k2'),
      project: fc.constantFrom('1', '2', undefined),
    }),
    { maxLength: 9 },
  )
  .map((drafts) =>
    drafts.map(({ place, key, project }, index): Thing => ({
      platform: names[place] ?? third,
      type: 'contract',
      id: String(index),
      key,
      parent: project,
    })),
  );

/** Each platform has customers 1 and 2; invoices choose among them or none, payments among their platform's invoices. */
const bills: fc.Arbitrary<readonly Thing[]> = fc
  .record({
    invoices: fc.array(
      fc.record({
        place: fc.integer({ min: 0, max: 2 }),
        key: fc.constantFrom('i1', 'i2'),
        customer: fc.constantFrom('1', '2', undefined),
      }),
      { maxLength: 7 },
    ),
    payments: fc.array(
      fc.record({
        place: fc.integer({ min: 0, max: 2 }),
        key: fc.constantFrom('c1', 'c2'),
        invoice: fc.option(fc.nat(6)),
      }),
      { maxLength: 7 },
    ),
  })
  .map(({ invoices, payments }) => [
    ...invoices.map(({ place, key, customer }, index): Thing => ({
      platform: names[place] ?? third,
      type: 'invoice',
      id: String(index),
      key,
      parent: customer,
    })),
    ...payments.map(({ place, key, invoice }, index): Thing => ({
      platform: names[place] ?? third,
      type: 'payment',
      id: String(index),
      key,
      parent: invoice !== null && invoices[invoice]?.place === place ? String(invoice) : undefined,
    })),
  ]);

describe('links of records of three platforms', () => {
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    names.push(third);
    service = await startApp({ logLevel: 'silent' });
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    names.splice(names.indexOf(third), 1);
    await stored.close();
    await service.close();
  });

  async function load(things: readonly Thing[], order: readonly number[]) {
    const { customerId } = await service.openSession();
    return read(customerId, things, order, true);
  }

  async function read(
    customerId: string,
    things: readonly Thing[],
    order: readonly number[],
    isFirst: boolean,
  ) {
    for (const place of order) {
      const platform = names[place] ?? third;
      await publishThings(service, customerId, things, platform, isFirst);
    }
    const rows = await stored.of(customerId);
    return { customerId, rows, objects: objectsOf(rows) };
  }

  const projects = (): readonly Thing[] =>
    names.flatMap((platform) =>
      ['1', '2'].map((id): Thing => ({ platform, type: 'project', id, key: `p${id}`, parent: undefined })),
    );
  const contract = (place: number, id: string, key: string, project?: string): Thing => ({
    platform: names[place] ?? third,
    type: 'contract',
    id,
    key,
    parent: project,
  });
  const contractsOf = (objects: readonly (readonly string[])[]) =>
    objects.filter(([first = '']) => first.includes(' contract '));

  it.each(orders)('join X on a and c, Y on b and c, in the order %i %i %i', async (...order) => {
    const feed = [...projects(), contract(0, 'x', 'k1'), contract(1, 'y', 'k2')];
    const { customerId, rows, objects } = await load(
      [...feed, contract(2, 'x', 'k1'), contract(2, 'y', 'k2')],
      order,
    );
    expect(contractsOf(objects)).toEqual([
      ['platform_a contract x', 'platform_c contract x'],
      ['platform_b contract y', 'platform_c contract y'],
    ]);
    const ids = new Map(rows.map(({ record, canonicalId: id }) => [record, id]));
    expect(ids.get('platform_c contract x')).toBe(
      canonicalId(customerId, 'contract', { kind: 'key', key: 'k1' }),
    );
    expect(objects.filter(([first = '']) => first.includes(' project '))).toHaveLength(2);
  });

  it.each(orders)('leave X and Y apart whose key is one, in the order %i %i %i', async (...order) => {
    const { rows, objects } = await load(
      [
        ...projects(),
        contract(0, 'x', 'k', '1'),
        contract(1, 'y', 'k', '2'),
        contract(2, 'x', 'k', '1'),
        contract(2, 'y', 'k', '2'),
      ],
      order,
    );
    expect(contractsOf(objects)).toEqual([
      ['platform_a contract x', 'platform_c contract x'],
      ['platform_b contract y', 'platform_c contract y'],
    ]);
    expect(rows).toHaveLength(10);
  });

  const customers = (): readonly Thing[] =>
    names.flatMap((platform) =>
      ['1', '2'].map((id): Thing => ({ platform, type: 'customer', id, key: `v${id}`, parent: undefined })),
    );
  const bill = (place: number, type: 'invoice' | 'payment', id: string, parent: string): Thing => ({
    platform: names[place] ?? third,
    type,
    id,
    key: 'k',
    parent,
  });

  it.each(orders)('part payments with their invoices, in the order %i %i %i', async (...order) => {
    const { objects } = await load(
      [
        ...customers(),
        bill(0, 'invoice', 'x', '1'),
        bill(1, 'invoice', 'y', '2'),
        bill(2, 'invoice', 'x', '1'),
        bill(2, 'invoice', 'y', '2'),
        bill(0, 'payment', 'px', 'x'),
        bill(1, 'payment', 'py', 'y'),
        bill(2, 'payment', 'px', 'x'),
        bill(2, 'payment', 'py', 'y'),
      ],
      order,
    );
    expect(objects.filter(([first = '']) => !first.includes(' customer '))).toEqual([
      ['platform_a invoice x', 'platform_c invoice x'],
      ['platform_a payment px', 'platform_c payment px'],
      ['platform_b invoice y', 'platform_c invoice y'],
      ['platform_b payment py', 'platform_c payment py'],
    ]);
  });

  it('are the same in every order of connects and decisions, and stay so when all is read again', async () => {
    const decided = fc.record({
      link: fc.boolean(),
      one: fc.nat(100),
      other: fc.nat(100),
      ofProjects: fc.boolean(),
    });
    const made = { accepted: 0 };
    const decisions = service.app.get(MatchingDecisions, { strict: false });
    await fc.assert(
      fc.asyncProperty(
        contracts,
        fc.array(decided, { minLength: 1, maxLength: 4 }),
        async (drafts, wanted) => {
          const feed = [...projects(), ...drafts];
          let inForce: readonly NewDecision[] | undefined;
          let first: readonly (readonly string[])[] | undefined;
          for (const order of [orders[0] ?? [], orders[3] ?? [], orders[5] ?? []]) {
            const { customerId } = await load(feed, order);
            const accepted: NewDecision[] = [];
            for (const decision of inForce?.toReversed() ?? chosen(feed, wanted)) {
              try {
                await decisions.make(customerId, decision);
                accepted.push(decision);
              } catch (error) {
                if (!(error instanceof ApiError && error.type === 'CONFLICT_ERROR')) throw error;
              }
            }
            // In another order another one of two may be refused; those that are in force are compared.
            if (inForce !== undefined && accepted.length < inForce.length) continue;
            inForce ??= accepted;
            made.accepted += accepted.length;
            const objects = objectsOf(await stored.of(customerId));
            first ??= objects;
            expect(objects).toEqual(first);
            expect((await read(customerId, [], order.toReversed(), false)).objects).toEqual(first);
            await stored.forget(customerId);
            expect((await read(customerId, feed, order.toReversed(), true)).objects).toEqual(first);
          }
        },
      ),
      { numRuns: randomCases(3), endOnFailure: true },
    );
    if (looksFar) expect(made.accepted).toBeGreaterThan(0);

    function chosen(
      feed: readonly Thing[],
      all: readonly { link: boolean; one: number; other: number; ofProjects: boolean }[],
    ) {
      return all.flatMap(({ link, one, other, ofProjects }): NewDecision[] => {
        const things = feed.filter(({ type }) => type === (ofProjects ? 'project' : 'contract'));
        const left = things[one % Math.max(things.length, 1)];
        const rights = things.filter(({ platform }) => platform !== left?.platform);
        const right = rights[other % Math.max(rights.length, 1)];
        if (left === undefined || right === undefined) return [];
        const records = [left, right].map(({ platform, id }) => ({ platform, platformId: id }));
        return [
          {
            decision: link ? 'link' : 'not_same',
            entityType: left.type,
            records,
            reason: 'r',
            decidedBy: 'd',
          },
        ];
      });
    }
  });

  it('of payments and their invoices are the same in every order of connects', async () => {
    await fc.assert(
      fc.asyncProperty(bills, async (drafts) => {
        let first: readonly (readonly string[])[] | undefined;
        for (const order of orders) {
          const { objects } = await load([...customers(), ...drafts], order);
          first ??= objects;
          expect(objects).toEqual(first);
        }
      }),
      { numRuns: randomCases(2) },
    );
  });

  it('are the same in every order of connects, and so are IDs of keys that occur once', async () => {
    await fc.assert(
      fc.asyncProperty(contracts, async (drafts) => {
        const feed = [...projects(), ...drafts];
        const repeats = (thing: Thing) =>
          feed.filter((o) => o.platform === thing.platform && o.type === thing.type && o.key === thing.key)
            .length > 1;
        const infirm = new Set(feed.filter(repeats).map((t) => `${t.platform} ${t.type} ${t.id}`));
        let first: readonly (readonly string[])[] | undefined;
        for (const order of orders) {
          const { customerId, rows, objects } = await load(feed, order);
          first ??= objects;
          expect(objects).toEqual(first);
          const ids = new Map(rows.map(({ record, canonicalId: id }) => [record, id]));
          for (const object of objects.filter((records) => !records.some((one) => infirm.has(one)))) {
            const [platform, type, id] = (object[0] ?? '').split(' ');
            const thing = feed.find((t) => t.platform === platform && t.type === type && t.id === id);
            const known = feed.filter((t) => t.type === type && t.key === thing?.key);
            // Where the key repeats on some platform, another object may have its digest already.
            if (thing === undefined || known.some(repeats)) continue;
            expect(ids.get(object[0] ?? '')).toBe(
              canonicalId(customerId, thing.type, { kind: 'key', key: thing.key }),
            );
          }
        }
      }),
      { numRuns: randomCases(4) },
    );
  });
});
