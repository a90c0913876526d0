import type { JsonObject } from '../../json/json-value';
import { inUsd } from '../../testing/canonical.arbitrary';
import { mappingOf } from '../registry';

describe('a budget line whose amount was entered by hand', () => {
  const line = mappingOf('platform_b', 'budget_line_item');
  const written = (amount: number, figures: JsonObject, currency = 'USD') => {
    const { quantity, unitCost } = line.encode(
      { calculation: 'manual', budgeted_amount: { amount, currency }, ...figures },
      inUsd,
    ).payload;
    return [quantity, unitCost];
  };

  it.each([
    ['leads to its amount exactly', 600, '2', '3', [2, 3]],
    ['leads to it when it is rounded up', 100, '3', '0.3333', [3, 0.3333]],
    ['leads to it with half a cent above', 100, '1', '1.005', [1, 1.005]],
    ['leads to it with half a cent below', 100, '1', '0.995', [1, 0.995]],
    ['is more than half a cent above', 100, '1', '1.0051', [1, 1]],
    ['is more than half a cent below', 100, '1', '0.9949', [1, 1]],
    ['is a dollar above', 100, '1', '2', [1, 1]],
    ['is a dollar below', 200, '1', '1', [1, 2]],
    ['leads to a credit', -100, '-1', '1', [-1, 1]],
  ])('keeps figures that lead to it: %s', (_, amount, quantity, unit_cost, expected) => {
    expect(written(amount, { quantity, unit_cost })).toEqual(expected);
  });

  it('is the cost of one where it has no figures, in the decimals of its currency', () => {
    expect(written(1250, {})).toEqual([1, 12.5]);
    expect(written(1250, { quantity: null, unit_cost: '3' }, 'JPY')).toEqual([1, 1250]);
  });

  it('keeps its figures where the platform computes it', () => {
    const data = { budgeted_amount: { amount: 100, currency: 'USD' }, quantity: '2', unit_cost: '3' };
    expect(line.encode({ ...data, calculation: 'automatic' }, inUsd).payload).toMatchObject({
      quantity: 2,
      unitCost: 3,
    });
  });
});

describe('the number of a change order', () => {
  it('stands behind the last slash', () => {
    const order = mappingOf('platform_b', 'change_order');
    const read = (externalDocumentNumber: string) =>
      order.decode({ externalDocumentNumber }, inUsd).data.number;
    expect(['C-1/CO-1', 'C-1/A/CO-1', 'CO-1', 'C-1/', ''].map(read)).toEqual([
      'CO-1',
      'CO-1',
      'CO-1',
      null,
      null,
    ]);
    expect(order.encode({ number: 'A/1' }, inUsd).issues).toMatchObject([
      { problem: expect.stringContaining('holds a slash') },
    ]);
  });
});
