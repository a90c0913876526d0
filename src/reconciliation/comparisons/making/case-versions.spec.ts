import { UNKNOWN_CURRENCY, type JsonObject, type JsonValue, type PlatformName } from '@app/mapper';
import { fc } from '../../../../libs/mapper/src/testing/property';
import { sortedJson } from '../../../../libs/mapper/src/testing/sorted-json';
import type { Case, ObjectOfCases } from '../case-parts';
import { compareObject } from '../comparison';
import { converterInto } from '../conversion';
import { casesOf } from './cases';

const convert = converterInto('USD', []);
const [a, b] = ['platform_a', 'platform_b'] as const;

interface Books {
  readonly entityType?: 'invoice' | 'payment';
  readonly a?: JsonObject;
  readonly b?: JsonObject;
  /** Currency that the record on platform_a inherits. */
  readonly currency?: string;
  readonly projects?: ReadonlyMap<PlatformName, string>;
}

function casesIn({ entityType = 'payment', projects = new Map(), currency = 'USD', ...payloads }: Books) {
  const copies = [a, b].flatMap((platform): ObjectOfCases['copies'][number][] => {
    const payload = payloads[platform === a ? 'a' : 'b'];
    const inheritedCurrency = platform === a ? currency : 'USD';
    const context = { variant: null, inheritedCurrency, localCurrency: 'USD', references: {} };
    return payload === undefined ? [] : [{ platform, platformId: `of ${platform}`, payload, ...context }];
  });
  const object: ObjectOfCases = {
    ...{ id: 'pay_1', entityType, copies, projects, extra: {}, candidates: [] },
    ...{ numbers: new Map(), counterparties: new Map() },
  };
  return casesOf(object, compareObject(object, { rates: [], precedence: {} }), convert);
}

const isField = (field: string) => (one: Case) => one.field === field;
const isAlone = (one: Case) => one.kind === 'only_on';
const isOfProject = (one: Case) => one.kind === 'other_project' && one.platform === b;

function versionOf(books: Books, test: (one: Case) => boolean): string {
  const found = casesIn(books).find(test);
  if (found === undefined) throw new Error('No such case');
  return found.valuesDigest;
}

const onA = (more: JsonObject = {}) => ({
  amount: '100.00',
  date: '2026-06-30',
  check_number: 'C-1',
  ...more,
});
const onB = (more: JsonObject = {}) => ({ amount: -100, postingDate: '2026-06-30', ...more });

describe('the version of a case', () => {
  it('of two dates changes with each of them', () => {
    const dated = (one: string, other: string) =>
      versionOf({ a: onA({ date: one }), b: onB({ postingDate: other }) }, isAlone);
    const version = dated('2026-06-30', '2026-07-02');
    expect(dated('2026-06-30', '2026-12-31')).not.toBe(version);
    expect(dated('2026-06-29', '2026-07-02')).not.toBe(version);
  });

  const long = 'agreed with the site on the telephone, then';
  const due = (current_payment_due: JsonValue) => ({ summary: { current_payment_due } });
  it.each<[string, string, JsonObject, JsonObject]>([
    ['an object', 'notes', { notes: { text: 'one' } }, { notes: { text: 'other' } }],
    ['a list', 'notes', { notes: ['one'] }, { notes: ['one', 'other'] }],
    ['long text', 'date', { date: `${long} paid` }, { date: `${long} refused` }],
    ['an amount', 'summary.current_payment_due', due({ of: 100 }), due({ of: 9_000_000 })],
  ])('of a field that cannot be read changes with %s', (_name, field, one, other) => {
    const entityType = field === 'summary.current_payment_due' ? 'invoice' : 'payment';
    const version = (payload: JsonObject) => versionOf({ entityType, a: payload }, isField(field));
    expect(version(other)).not.toBe(version(one));
    expect(version({ ...one, unknown_member: 1 })).toBe(version(one));
  });

  it('of a field in a line that cannot be read changes with the value of that line alone', () => {
    const invoice = (quantity: JsonValue, description: string) =>
      versionOf(
        {
          entityType: 'invoice',
          b: {
            salesInvoiceLines: [
              { description: 'Slab', quantity: 1 },
              { quantity, description },
            ],
          },
        },
        isField('salesInvoiceLines[1].quantity'),
      );
    expect(invoice({ of: 2 }, 'Beam')).not.toBe(invoice({ of: 1 }, 'Beam'));
    expect(invoice({ of: 1 }, 'Pole')).toBe(invoice({ of: 1 }, 'Beam'));
  });

  const nowhere = { currencyCode: 'ZZZ' };
  it.each<[string, (amount: number, more?: JsonObject) => Books, (one: Case) => boolean]>([
    ['a record alone', (amount, more) => ({ b: onB({ ...nowhere, amount, ...more }) }), isAlone],
    [
      'the earlier of two records',
      (amount, more) => ({
        a: onA({ date: '2026-07-02', amount: null }),
        b: onB({ ...nowhere, amount, ...more }),
      }),
      isAlone,
    ],
    [
      'an amount that has one to be compared with',
      (amount, more) => ({ a: onA(), b: onB({ ...nowhere, amount, ...more }) }),
      ({ field, left, right }) => field === 'amount' && left !== right,
    ],
    [
      'a record in another project',
      (amount, more) => ({
        ...{ a: onA(), b: onB({ ...nowhere, amount, ...more }) },
        projects: new Map([
          [a, 'proj_1'],
          [b, 'proj_2'],
        ]),
      }),
      isOfProject,
    ],
    [
      'a currency of which the amount has no case of its own',
      (amount, more) => ({
        ...{ a: onA(), b: onB({ ...nowhere, amount, ...more }) },
        currency: UNKNOWN_CURRENCY,
      }),
      isField('currencyCode'),
    ],
  ])('of %s changes with an amount in a currency that is not known', (_name, books, test) => {
    const version = versionOf(books(-100), test);
    expect(versionOf(books(-9_000_000), test)).not.toBe(version);
    expect(versionOf(books(-100, { currencyCode: 'YYY' }), test)).not.toBe(version);
    expect(versionOf(books(-100, { comment: 'Paid' }), test)).toBe(version);
  });

  it('of an amount that is read does not change with its spelling', () => {
    const version = (amount: string) => versionOf({ a: onA({ amount }) }, isAlone);
    expect(version('100.0')).toBe(version('100.00'));
    expect(version('100.01')).not.toBe(version('100.00'));
  });

  it('changes with any value in the place of one that cannot be read', () => {
    const unreadable = fc.oneof(
      fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    ) as fc.Arbitrary<JsonValue>;
    const version = (notes: JsonValue) => versionOf({ a: onA({ notes }) }, isField('notes'));
    fc.assert(
      fc.property(unreadable, unreadable, (one, other) => {
        expect(version(one) === version(other)).toBe(sortedJson(one) === sortedJson(other));
      }),
    );
  });
});
