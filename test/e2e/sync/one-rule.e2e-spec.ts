import { groupBy, platformNames, type PlatformName } from '@app/mapper';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { ApiError } from '../../../src/common/errors/api-error';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import type { NewDecision } from '../../../src/matching/decisions/decide';
import { MatchingDecisions } from '../../../src/matching/decisions/decisions.service';
import { groupsOf } from '../../../src/matching/decisions/rematch/matched-records.repository';
import { nameOf, type RecordName } from '../../../src/matching/rule/link-constraints';
import { loadConstraints } from '../../../src/matching/rule/link-constraints.repository';
import { linkRecords } from '../../../src/matching/rule/link-records';
import { startApp, type RunningApp } from '../../support/app/app';
import { publishThings, type StagedThing } from '../../support/records/staged-things';
import { StoredRecords } from '../../support/database/stored-records';

// Dozens of runs for each customer: a busy machine takes minutes for them.
jest.setTimeout(300_000);

// The list is the registry's own, so the third platform counts wherever platforms are counted.
const third = 'platform_c' as PlatformName;
const names = platformNames as PlatformName[];
const keys = ['k1', 'k2', 'k3'];

/** A contract as a platform has it at one reading. The few IDs and keys make contracts change keys and compete. */
interface Draft {
  readonly place: number;
  readonly id: number;
  readonly key: string;
  readonly project: string | undefined;
}
const readings = fc.array(
  fc.array(
    fc.record<Draft>({
      place: fc.nat(2),
      id: fc.nat(2),
      key: fc.constantFrom(...keys),
      project: fc.constantFrom('1', '2', undefined),
    }),
    { minLength: 1, maxLength: 7 },
  ),
  { minLength: 2, maxLength: 5 },
);
const contract = (place: number, id: number, key: string): Draft => ({ place, id, key, project: undefined });
const pairs = fc.array(fc.record({ link: fc.boolean(), one: fc.nat(20), other: fc.nat(20) }), {
  maxLength: 4,
});

// Contracts of platform_c have the keys of both records of one object.
const twoGroupsForOneObject: Draft[][] = [
  [contract(0, 0, 'k1'), contract(1, 0, 'k1')],
  [contract(1, 0, 'k2')],
  [contract(2, 0, 'k1'), contract(2, 1, 'k2')],
];
// A decision keeps a pair apart, and the pair is read again.
const keptApart: [Draft[][], { link: boolean; one: number; other: number }[]] = [
  [[contract(0, 0, 'k1'), contract(1, 0, 'k1')], [contract(0, 1, 'k2')]],
  [{ link: false, one: 0, other: 0 }],
];
// A decision links a record, and another one of its platform gets the key of the first.
const goneToAnotherKey: [Draft[][], { link: boolean; one: number; other: number }[]] = [
  [[contract(0, 0, 'k1'), contract(1, 0, 'k2')], [contract(1, 1, 'k1')]],
  [{ link: true, one: 0, other: 0 }],
];

interface StoredContract extends RecordName {
  readonly object: string;
}

describe('a run links by the rule that decisions link by', () => {
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'silent' });
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });
  const numRuns = randomCases(6);

  it('with three platforms and contracts that change their keys', async () => {
    names.push(third);
    let competing = 0;
    try {
      await fc.assert(
        fc.asyncProperty(readings, async (drafts) => {
          const { customerId } = await service.openSession();
          for (const one of drafts) competing += await readAndCompare(customerId, one);
        }),
        { numRuns, endOnFailure: true, examples: [[twoGroupsForOneObject]] },
      );
    } finally {
      names.splice(names.indexOf(third), 1);
    }
    expect(competing).toBeGreaterThan(0);
  });

  it('with two platforms and decisions between the readings', async () => {
    let [competing, accepted] = [0, 0];
    await fc.assert(
      fc.asyncProperty(readings, pairs, async (drafts, wanted) => {
        const { customerId } = await service.openSession();
        for (const [place, one] of drafts.entries()) {
          competing += await readAndCompare(customerId, one);
          const pair = wanted[place];
          if (pair !== undefined && (await decide(customerId, pair))) accepted += 1;
        }
      }),
      { numRuns, endOnFailure: true, examples: [keptApart, goneToAnotherKey] },
    );
    expect(competing).toBeGreaterThan(0);
    expect(accepted).toBeGreaterThan(0);
  });

  /** @returns in how many readings an object with several records had a record in a group of several objects */
  async function readAndCompare(customerId: string, drafts: readonly Draft[]): Promise<number> {
    const things = thingsOf(drafts);
    let competing = 0;
    for (const platform of names) {
      const before = await contractsOf(customerId);
      await publishThings(service, customerId, things, platform, false);
      const after = await contractsOf(customerId);
      const { objects, isCompeting } = await linkedByRule(customerId, before, after);
      expect(shown([...groupBy(after, ({ object }) => object).values()])).toEqual(shown(objects));
      if (isCompeting) competing += 1;
    }
    return competing;
  }

  /** What the rule makes of the objects before a run and the records that the run stored, all in memory. */
  function linkedByRule(
    customerId: string,
    before: readonly StoredContract[],
    after: readonly StoredContract[],
  ): Promise<{ readonly objects: readonly (readonly RecordName[])[]; readonly isCompeting: boolean }> {
    return service.app.get(UnitOfWork, { strict: false }).runFor(customerId, async (tx) => {
      const groups = await groupsOf(tx, 'contract', keys);
      const objectBefore = new Map(before.map((one) => [nameOf(one), one.object]));
      const records = after.map((one) => ({
        ...one,
        group: groups.get(nameOf(one))?.group ?? null,
        was: objectBefore.get(nameOf(one)) ?? `new ${nameOf(one)}`,
      }));
      const objects = [...groupBy(records, ({ was }) => was).values()];
      const grouped = records.filter(({ group }) => group !== null);
      const isCompeting = [...groupBy(grouped, ({ group }) => group).values()].some(
        (group) =>
          new Set(group.map(({ was }) => was)).size > 1 &&
          group.some(({ was }) => objects.some((object) => object[0]?.was === was && object.length > 1)),
      );
      const constraints = await loadConstraints(tx, 'contract', records);
      return { objects: linkRecords(objects, constraints), isCompeting };
    });
  }

  async function decide(
    customerId: string,
    { link, one, other }: { readonly link: boolean; readonly one: number; readonly other: number },
  ): Promise<boolean> {
    const contracts = await contractsOf(customerId);
    const left = contracts[one % Math.max(contracts.length, 1)];
    const rights = contracts.filter(({ platform }) => platform !== left?.platform);
    const right = rights[other % Math.max(rights.length, 1)];
    if (left === undefined || right === undefined) return false;
    const wanted: NewDecision = {
      decision: link ? 'link' : 'not_same',
      entityType: 'contract',
      records: [left, right].map(({ platform, platformId }) => ({ platform, platformId })),
      reason: 'r',
      decidedBy: 'd',
    };
    try {
      await service.app.get(MatchingDecisions, { strict: false }).make(customerId, wanted);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.type === 'CONFLICT_ERROR')) throw error;
      return false;
    }
  }

  async function contractsOf(customerId: string): Promise<readonly StoredContract[]> {
    return stored.query<StoredContract>(
      `select platform, platform_id as "platformId", canonical_id as object from platform_records
       where customer_id = $1 and entity_type = 'contract' order by platform, platform_id`,
      [customerId],
    );
  }
});

/** Each platform has the projects 1 and 2, and of each contract the last draft. */
function thingsOf(drafts: readonly Draft[]): readonly StagedThing[] {
  const contracts = drafts.map(({ place, id, key, project }): StagedThing => ({
    platform: names[place % names.length] ?? third,
    type: 'contract',
    id: String(id),
    key,
    parent: project,
  }));
  const projects = names.flatMap((platform) =>
    ['1', '2'].map((id): StagedThing => ({
      platform,
      type: 'project',
      id,
      key: `p${id}`,
      parent: undefined,
    })),
  );
  const last = new Map(
    [...projects, ...contracts].map((one) => [`${one.platform} ${one.type} ${one.id}`, one]),
  );
  return [...last.values()];
}

function shown(objects: readonly (readonly RecordName[])[]): readonly string[] {
  return objects.map((records) => records.map(nameOf).sort().join(', ')).sort();
}
