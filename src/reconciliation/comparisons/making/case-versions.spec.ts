import type { JsonObject } from '@app/mapper';
import type { Case, ObjectOfCases } from '../case-parts';
import { compareObject } from '../comparison';
import { converterInto } from '../conversion';
import { casesOf } from './cases';

const convert = converterInto('USD', []);
const [a, b] = ['platform_a', 'platform_b'] as const;

interface Books {
  readonly a?: JsonObject;
  readonly b?: JsonObject;
}

function casesIn(payloads: Books) {
  const copies = [a, b].flatMap((platform): ObjectOfCases['copies'][number][] => {
    const payload = payloads[platform === a ? 'a' : 'b'];
    const context = { variant: null, inheritedCurrency: 'USD', localCurrency: 'USD', references: {} };
    return payload === undefined ? [] : [{ platform, platformId: `of ${platform}`, payload, ...context }];
  });
  const object: ObjectOfCases = {
    ...{ id: 'pay_1', entityType: 'payment', copies, projects: new Map(), extra: {}, candidates: [] },
    ...{ numbers: new Map(), counterparties: new Map() },
  };
  return casesOf(object, compareObject(object, { rates: [], precedence: {} }), convert);
}

const isAlone = (one: Case) => one.kind === 'only_on';

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
});
