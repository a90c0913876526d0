import { factsOf, known } from './record-facts';

const a = { platform: 'platform_a', platform_id: '1' } as const;
const b = { platform: 'platform_b', platform_id: '2' } as const;
const value = <Value>(canonical: Value) => ({ canonical, native: canonical, path: 'x' });
const usd = (amount: number) => ({ amount, currency: 'USD' });

describe('the facts of a record', () => {
  it('are its number, title and name, and its amount', () => {
    const fields = new Map<string, unknown>([
      ['title', 'Podium'],
      ['number', 'SC-1'],
      ['name', null],
      ['amount', usd(5)],
    ]);
    expect(factsOf((field) => fields.get(field))).toEqual({ names: 'SC-1 Podium', amount: usd(5) });
    expect(factsOf(() => undefined)).toEqual({ names: '', amount: undefined });
  });

  it('come from the case, from a candidate, or from what was found', () => {
    const one = {
      records: [{ ...a, canonical_id: 'pay_1' }],
      compared: [{ field: 'number', same: null, values: { platform_a: value('CHK-1') } }],
      candidates: [
        {
          ...{ ...b, canonical_id: 'pay_2', linked: false },
          compared: [{ field: 'amount', same: null, values: { platform_b: value(usd(7)) } }],
        },
      ],
    };
    expect(known(one, a, b)).toEqual({ ...a, facts: { names: 'CHK-1', amount: undefined } });
    expect(known(one, b, b)).toEqual({ ...b, facts: { names: '', amount: usd(7) } });
    const facts = { names: 'CHK-9', amount: usd(9) };
    const found = { ...b, platform_id: '9', facts };
    expect(known(one, found, found)).toEqual(found);
    expect(known(one, found, undefined).facts).toBeUndefined();
  });
});
