import type { Decided } from '../../data/decisions';
import { effectWords, together } from './decision-words';

const b = { platform: 'platform_b', platform_id: '2' } as const;
const moved = { entity_type: 'payment', ...b, canonical_id: 'pay_1', was: 'pay_2' } as const;
const one: Pick<Decided, 'effects'> = { effects: { records: [moved], records_total: 1 } };

describe('what decisions do', () => {
  it('is said record by record', () => {
    expect(effectWords(one)).toEqual(['The payment 2 of platform_b moves from pay_2 to pay_1.']);
  });

  it('is counted once for each record, as the first decision moves it', () => {
    const further = { ...moved, canonical_id: 'pay_3' };
    const other = { ...moved, platform_id: '3' };
    const invoice = { ...moved, entity_type: 'invoice' } as const;
    const two: Pick<Decided, 'effects'> = {
      effects: { records: [further, other, invoice], records_total: 3 },
    };
    expect(together([one, two])).toEqual({
      effects: { records: [moved, other, invoice], records_total: 3 },
      isUpperBound: false,
    });
    expect(together([]).effects).toEqual({ records: [], records_total: 0 });
  });

  it('is at most as much as the records that no answer names', () => {
    const many: Pick<Decided, 'effects'> = { effects: { records: [moved], records_total: 120 } };
    expect(together([one, many])).toEqual({
      effects: { records: [moved], records_total: 120 },
      isUpperBound: true,
    });
    expect(together([many]).isUpperBound).toBe(false);
  });
});
