import type { Decided } from '../../data/decisions';
import { effectWords, together } from './decision-words';

const b = { platform: 'platform_b', platform_id: '2' } as const;
const moved = { entity_type: 'payment', ...b, canonical_id: 'pay_1', was: 'pay_2' } as const;
const one: Pick<Decided, 'effects'> = { effects: { records: [moved], records_total: 1 } };

describe('what decisions do', () => {
  it('is said record by record', () => {
    expect(effectWords(one)).toEqual(['The payment 2 of platform_b moves from pay_2 to pay_1.']);
  });

  it('is added up, with those that no answer names', () => {
    const many: Pick<Decided, 'effects'> = { effects: { records: [moved], records_total: 120 } };
    expect(together([one, many]).effects).toEqual({ records: [moved, moved], records_total: 121 });
    expect(together([]).effects).toEqual({ records: [], records_total: 0 });
  });
});
