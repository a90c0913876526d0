import { storedEntityTypes, type StoredEntityType } from '@app/mapper';
import { platforms } from '../customers/portfolio';
import type { Body, ModelCustomer, Shown } from './customer';
import { rawSum, summedTypes } from './raw-sums';
import { expectTag, expectToFootTo, pagesOf } from './reading';

/** A one-to-one relation between names and states: two names are equal if and only if their states are equal. */
class Names {
  private readonly states = new Map<string, string>();
  private readonly names = new Map<string, string>();

  note(name: string, state: string): void {
    expect(this.states.get(name) ?? state).toBe(state);
    expect(this.names.get(state) ?? name).toBe(name);
    this.states.set(name, state);
    this.names.set(state, name);
  }
}

/** The states of a customer that were read while no request was in progress. */
export class ObservedStates {
  /** Versions of an object's data, mappings and disagreements. */
  readonly versions = new Names();
  /** Tags of a version together with the records that are ruled out. */
  readonly tags = new Names();
  /** Statements that are read again later as of their times. */
  readonly statements: Body[] = [];
  /** Objects with the times at which they were read. */
  readonly objects: { readonly at: string; readonly detail: Body }[] = [];
}

/**
 * Lists the objects of some types; the earlier lists of other types stay. Expects that each record belongs to one
 * object and that all listings of an object agree.
 */
export async function listObjects(
  customer: ModelCustomer,
  types: readonly StoredEntityType[] = storedEntityTypes,
): Promise<void> {
  const lists = await Promise.all(
    platforms.flatMap((platform, place) => types.map((type) => customer.list(platform, type, place))),
  );
  const shown = [...customer.shown.filter(({ entity_type: type }) => !types.includes(type)), ...lists.flat()];
  const objects = new Map<string, Shown[]>();
  for (const one of shown) objects.set(one.canonical_id, [...(objects.get(one.canonical_id) ?? []), one]);
  const said = (version: unknown, data: unknown, mappings: unknown): string =>
    JSON.stringify([version, data, mappings]);
  for (const records of objects.values()) {
    const [first] = records;
    const mappings = records
      .map(({ platform, id }) => ({ platform, platform_id: id }))
      .toSorted((a, b) => (a.platform < b.platform ? -1 : 1));
    const expected = { version: first?.version, data: first?.data, mappings };
    for (const one of records) {
      // A matcher is slower than everything else here, so it is called only if something differs.
      if (said(one.version, one.data, one.mappings) === said(first?.version, first?.data, mappings)) continue;
      const { version, data, mappings: own } = one;
      expect({ version, data, mappings: own }).toEqual(expected);
    }
  }
  const platformsOf = [...objects.values()].map((records) => records.map(({ platform }) => platform));
  expect(platformsOf.filter((some) => new Set(some).size < some.length)).toEqual([]);
  const names = shown.map(({ platform, entity_type: type, id }) => `${platform} ${type} ${id}`);
  expect(new Set(names).size).toBe(names.length);
  const rows = await customer.rows<{ name: string; canonical_id: string }>(
    `select platform || ' ' || entity_type || ' ' || platform_id as name, canonical_id
     from platform_records where customer_id = $1`,
  );
  expect(rows.map(({ name, canonical_id: id }) => `${name} ${id}`).toSorted()).toEqual(
    shown.map((one, place) => `${names[place]} ${one.canonical_id}`).toSorted(),
  );
  customer.shown = shown;
  for (const [id, [first]] of objects) {
    const known = customer.versions.get(id) ?? [];
    if (first !== undefined && known.at(-1) !== first.version)
      customer.versions.set(id, [...known, first.version]);
  }
}

/** Reads objects individually. Expects the version of the listing, also as the tag. */
export async function readObjects(
  customer: ModelCustomer,
  seen: ObservedStates,
  ids: ReadonlySet<string>,
): Promise<void> {
  for (const [place, id] of [...ids].entries()) {
    const client = customer.client(place);
    const found = await client.get(`/objects/${id}`);
    expect(found.status).toBe(200);
    expectTag(found);
    const { headers, body } = found;
    const { version, data, mappings, disagreements } = body.data;
    const listed = customer.shown.find((one) => one.canonical_id === id);
    expect([listed?.version, listed?.data]).toEqual([version, data]);
    const tag = headers.get('ETag') ?? '';
    const again = await client.get(`/objects/${id}`, { 'If-None-Match': tag });
    expect(again.status).toBe(304);
    seen.versions.note(version, JSON.stringify([data, mappings, disagreements]));
    seen.tags.note(tag, JSON.stringify(body.data));
    seen.objects.push({ at: seen.statements.at(-1)?.as_of, detail: body.data });
  }
}

/** Accepts the deletions that a connect held back because they were more than a tenth of the payments. */
export async function acceptDeletions(customer: ModelCustomer): Promise<void> {
  const { body } = await customer.client(0).get('/reconciliation?currency=USD');
  for (const { reason, platform } of body.data.reasons)
    if (reason === 'deletions_held') await customer.read(platform, 0);
}

/** Expects that a statement foots, and that its sums are those of the raw records. */
export async function expectStatement(customer: ModelCustomer, seen: ObservedStates): Promise<void> {
  await customer.follow(1);
  const { status, body } = await customer.client(0).get('/reconciliation?currency=USD');
  expect([status, body.data.reasons]).toEqual([200, []]);
  expectToFootTo(body.data);
  for (const type of summedTypes) {
    const { totals } = body.data.types.find((one: Body) => one.entity_type === type);
    for (const said of [totals.from, totals.to]) {
      const records = customer.shown.filter(
        ({ platform, entity_type: own }) => platform === said.platform && own === type,
      );
      expect([type, said]).toEqual([
        type,
        {
          platform: said.platform,
          records: records.length,
          summed: records.length,
          without_amount: 0,
          sum: { amount: rawSum(said.platform, type, records, body.data.rates), currency: 'USD' },
        },
      ]);
    }
  }
  seen.statements.push(body.data);
}

/**
 * Expects that the cases of records on one platform only add up to their line of the statement.
 *
 * @returns the IDs of all cases
 */
export async function expectCases(customer: ModelCustomer, seen: ObservedStates): Promise<readonly string[]> {
  const cases = await pagesOf<Body>(customer.client(1), '/reconciliation/cases?limit=200');
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  for (const { entity_type: type, totals, counts } of seen.statements.at(-1).types) {
    const own = cases.filter(({ entity_type: other }) => other === type);
    const behind = (kind: string, platform?: string): readonly Body[] =>
      own.filter((one) => one.kind === kind && (platform === undefined || one.platform === platform));
    const sum = (some: readonly Body[]): number =>
      some.reduce((all: number, { difference }) => all + (difference?.amount ?? 0), 0);
    for (const platform of platforms) {
      const alone = behind('only_on', platform);
      expect([type, platform, alone.length]).toEqual([type, platform, counts.only_on[platform]]);
      const line = totals?.lines.find(({ cause }: Body) => cause === `only_on_${platform}`);
      if (line !== undefined)
        expect([type, platform, sum(alone)]).toEqual([type, platform, line.amount.amount]);
    }
    const line = totals?.lines.find(({ cause }: Body) => cause === 'ambiguous');
    expect([type, behind('ambiguous').length]).toEqual([type, counts.ambiguous]);
    if (line !== undefined) expect([type, sum(behind('ambiguous'))]).toEqual([type, line.amount.amount]);
    const differing = new Set(behind('disagreement').map(({ canonical_id: id }) => id));
    expect([type, differing.size]).toEqual([type, counts.disagree]);
  }
  return cases.map(({ id }) => id);
}

/** Expects that objects, read as of an earlier time, are as they were read then. */
export async function expectPastObjects(customer: ModelCustomer, seen: ObservedStates): Promise<void> {
  for (const [place, { at, detail }] of seen.objects.slice(-30).entries()) {
    const { body } = await customer.client(place).get(`/objects/${detail.canonical_id}?as_of=${at}`);
    expect({ at, ...body.data }).toEqual({ at, ...detail });
  }
}

/** Expects that statements, read as of their times, are unchanged. */
export async function expectPastStatements(customer: ModelCustomer, seen: ObservedStates): Promise<void> {
  for (const then of seen.statements.slice(-2)) {
    const { body } = await customer.client(1).get(`/reconciliation?currency=USD&as_of=${then.as_of}`);
    const { types, rates, digest } = body.data;
    expect({ types, rates, digest }).toEqual({ types: then.types, rates: then.rates, digest: then.digest });
  }
}

/** Expects that the stored comparisons equal those of a complete recalculation. */
export async function expectComparisons(customer: ModelCustomer): Promise<void> {
  const everything = async (): Promise<unknown> =>
    Promise.all([
      customer.rows(
        `select *, opened_at::text as opened, null as valid_from from comparisons where customer_id = $1
         order by object_id, left_platform, right_platform`,
      ),
      customer.rows(
        `select *, opened_at::text as opened, detail::text as details, null as valid_from from comparison_cases where customer_id = $1
         order by id`,
      ),
      customer.rows(
        `select * from case_counts where customer_id = $1 and cases <> 0
         order by left_platform, right_platform, kind, entity_type, platform, field, project_id, left_currency, right_currency,
           opened_hour`,
      ),
    ]);
  await customer.follow(0);
  const refreshed = await everything();
  for (const table of ['comparison_states', 'stale_comparisons', 'comparisons', 'comparison_cases']) {
    await customer.rows(`delete from ${table} where customer_id = $1`);
  }
  await customer.follow(1);
  expect(refreshed).toEqual(await everything());
}

/**
 * Expects one stored change for each answer that named one, and that exactly the decisions stand that were made and
 * not withdrawn.
 */
export async function expectEffects(customer: ModelCustomer): Promise<void> {
  const stored = await customer.rows<{ id: string }>('select id from propagations where customer_id = $1');
  expect(stored.map(({ id }) => id).toSorted()).toEqual([...customer.propagations].toSorted());
  const { made, withdrawn } = customer.decisions;
  const { body } = await customer.client(1).get('/reconciliation/decisions?status=standing&limit=500');
  expect(body.data.map(({ id }: Body) => id).toSorted()).toEqual(
    [...made].filter((id) => !withdrawn.has(id)).toSorted(),
  );
}
