import {
  convert,
  findRate,
  formatDecimal,
  mappingOf,
  type Money,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { portfolio, type ShapedThing } from '../../support/records/portfolio.arbitrary';
import { StoredRecords, type StoredRow } from '../../support/database/stored-records';

jest.setTimeout(120_000);

type Body = ReturnType<typeof JSON.parse>;

const platforms = ['platform_a', 'platform_b'] as const;
const labels: Readonly<Record<StoredEntityType, readonly string[]>> = {
  project: ['number', 'name'],
  customer: ['name'],
  contract: ['number', 'title'],
  invoice: ['number'],
  payment: ['check_number'],
};

/** A record with a name, and an amount in the currency of its platform. */
function withAmount({ thing, source }: ShapedThing, minor: number): ShapedThing['source'] {
  const { platform, type, id } = thing;
  const text = (minor / 100).toFixed(2);
  const currency = { currencyCode: 'QAR' };
  const more: Body = {
    platform_a: {
      project: { name: `Project ${id}` },
      customer: {},
      contract: { title: `Works ${id}`, grand_total: text },
      invoice: { summary: { current_payment_due: text } },
      payment: { amount: text },
    },
    platform_b: {
      project: { displayName: `Job ${id}` },
      customer: {},
      contract: { totalAmountExcludingTax: minor / 100, ...currency },
      invoice: { totalAmountIncludingTax: minor / 100, ...currency },
      payment: { amount: -minor / 100, ...currency },
    },
  };
  return { ...source, payload: { ...source.payload, ...more[platform][type] } };
}

/** The cells of a line, in which no cell holds a line break. */
function cellsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
  );
}

const inDollars = ({ amount, currency }: Money): number => {
  if (currency === 'USD') return amount;
  const rate = findRate(currency, 'USD', {});
  if (rate === undefined) throw new Error(`No rate for ${currency}`);
  return convert({ amount, currency }, rate).amount;
};

describe('what a case shows of its object', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  /** The company that a record is with, by its own references. */
  function companyOf(row: StoredRow | undefined, rows: readonly StoredRow[]): string | undefined {
    if (row === undefined) return undefined;
    const [platform, type] = row.record.split(' ');
    if (type === 'project') return undefined;
    if (type === 'customer') return row.canonicalId;
    const here = (id: string | undefined) =>
      rows.find((one) => one.canonicalId === id && one.record.startsWith(`${platform} `));
    const { customer_id: own, contract_id: contract, invoice_id: invoice } = row.references;
    const bill = here(invoice)?.references;
    return (
      own ??
      here(contract)?.references.customer_id ??
      bill?.customer_id ??
      here(bill?.contract_id)?.references.customer_id
    );
  }

  it('agrees with the objects, in pages, files, at a time and one by one', async () => {
    let seen = 0;
    const books = fc.tuple(
      portfolio,
      fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 60, maxLength: 60 }),
    );
    await fc.assert(
      fc.asyncProperty(books, async ([things, amounts]) => {
        const { key, customerId } = await service.openSession();
        const client = api(service.url, key);
        const minor = new Map<string, number>();
        const given = things.map((one) => {
          const { platform, type, id } = one.thing;
          const name = `${platform} ${type} ${id}`;
          // Both copies of a record that a platform brings twice have one amount.
          const amount = minor.get(name) ?? 100 * (amounts[minor.size % amounts.length] ?? 1);
          minor.set(name, amount);
          return { platform, source: withAmount(one, amount) };
        });
        for (const platform of platforms) {
          const own = given.filter((one) => one.platform === platform).map(({ source }) => source);
          sources.give(customerId, platform, own);
          await connect(client, platform);
        }
        const rows = await stored.of(customerId);
        const cases: Body[] = (await client.get('/reconciliation/cases?limit=500')).body.data;
        const objects = new Map<string, Body>();
        const objectOf = async (id: string): Promise<Body> => {
          if (!objects.has(id)) objects.set(id, (await client.get(`/objects/${id}`)).body.data);
          return objects.get(id);
        };
        for (const one of cases) {
          seen += 1;
          const { data } = await objectOf(one.canonical_id);
          const type: StoredEntityType = one.entity_type;
          const names = labels[type].map((field) => data[field]).filter((text) => text);
          expect(one.label).toBe(names.length === 0 ? null : names.join(' '));
          expect(one.project?.id ?? null).toBe(one.project_id);
          if (one.project_id !== null)
            expect(one.project.name).toBe((await objectOf(one.project_id)).data.name ?? null);

          const recordOn = (platform: PlatformName) =>
            rows.find((row) => row.canonicalId === one.canonical_id && row.record.startsWith(`${platform} `));
          const order = [...(one.platform === null ? [] : [one.platform]), ...platforms];
          const companies = order.map((platform) => companyOf(recordOn(platform), rows));
          const company = companies.find((id) => id !== undefined);
          const named = company === undefined ? null : (await objectOf(company)).data.name;
          expect(one.counterparty).toBe(named ?? null);

          const shown = Object.keys(one.amounts) as PlatformName[];
          expect(Object.keys(one.links)).toEqual(shown);
          const converted = shown.map((platform) => {
            const row = recordOn(platform);
            const amount =
              row && ['contract', 'invoice', 'payment'].includes(type) ? minor.get(row.record) : undefined;
            const native =
              amount === undefined ? null : { amount, currency: platform === 'platform_a' ? 'USD' : 'QAR' };
            const sum = native && { amount: inDollars(native), currency: 'USD' };
            expect(one.amounts[platform]).toEqual(native && { native, converted: sum });
            return sum?.amount ?? 0;
          });
          expect(Object.values(one.links)).toEqual(shown.map(() => null));
          const [left = 0, right = 0] = converted;
          if (one.difference !== null && one.kind !== 'other_project')
            expect(one.difference.amount).toBe(right - left);

          const { by, field, writable } = one.settlement;
          if (one.kind === 'ambiguous') expect(one.settlement).toEqual({ by: 'decision', writable: {} });
          if (one.kind === 'disagreement' || one.kind === 'other_project') {
            expect(field).toBe(one.field);
            for (const platform of platforms) {
              const variant = things.find(
                ({ thing }) => `${thing.platform} ${thing.type} ${thing.id}` === recordOn(platform)?.record,
              )?.source.variant;
              const access = mappingOf(platform, type, { variant }).accessTo(one.field);
              const may = access === 'write' || access === 'lines';
              expect(writable[platform] === true).toBe(may);
              if (!may) expect(writable[platform]).toContain(one.field);
            }
            expect(by).toBe(Object.values(writable).includes(true) ? 'propagate' : 'platform');
          }
          if (one.kind === 'only_on') expect(Object.keys(writable)).toEqual([one.missing_on]);
        }

        const { as_of: asOf } = (await client.get('/reconciliation')).body.data;
        const then: Body[] = (await client.get(`/reconciliation/cases?limit=500&as_of=${asOf}`)).body.data;
        expect(then).toEqual(cases);
        const [first] = cases;
        if (first !== undefined) {
          const { data: single } = (await client.get(`/reconciliation/cases/${first.id}`)).body;
          expect(single.candidates).toHaveLength(first.candidates.length);
          const { difference, candidates } = single;
          expect(single).toMatchObject({ ...first, difference, candidates });
        }
        const file = await fetch(`${service.url}/api/v1/reconciliation/cases?entity_type=payment`, {
          headers: { authorization: `Bearer ${key}`, accept: 'text/csv' },
        });
        const lines = (await file.text()).split('\r\n').map(cellsOf);
        const header = lines.find(([id]) => id === 'id') ?? [];
        for (const one of cases.filter(({ entity_type: type }) => type === 'payment')) {
          const line = lines.find(([id]) => id === one.id) ?? [];
          const cell = (name: string): string => line[header.indexOf(name)] ?? '';
          const { native } = one.amounts.platform_b ?? {};
          expect(cell('settled_by')).toBe(one.settlement.by);
          expect(cell('platform_b_amount')).toBe(
            native === undefined ? '' : formatDecimal(BigInt(native.amount), 2),
          );
        }
      }),
      { numRuns: randomCases(3) },
    );
    expect(seen).toBeGreaterThan(20);
  });
});
