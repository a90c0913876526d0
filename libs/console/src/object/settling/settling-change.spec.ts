import { sendsSomething, settlingChange } from './settling-change';

describe('settlingChange', () => {
  it('sends the value of the chosen platform in canonical form, and nothing else', () => {
    const amount = { amount: 100, currency: 'QAR' };
    expect(
      settlingChange(
        { canonical_id: 'pay_1', entity_type: 'payment' },
        {
          field: 'amount',
          values: { platform_b: { native: -100, canonical: amount } },
          stands: 'platform_a',
          why: '',
        },
        'platform_b',
      ),
    ).toEqual({ format: 'canonical', canonical_id: 'pay_1', entity_type: 'payment', data: { amount } });
  });
});

describe('sendsSomething', () => {
  const canonical = {
    id: 'pay_1',
    entity_type: 'payment',
    updated_fields: [],
    data: { object: 'payment' },
    version: 'v',
  };
  it.each([
    ['nothing', {}, false],
    ['what a platform does not let be written', { platform_b: { status: 'unchanged', left: [] } }, false],
    ['a field', { platform_b: { status: 'pending', changes: [{ path: 'comment', value: 'x' }] } }, true],
  ])('of a plan that writes %s', (_what, propagated, expected) => {
    expect(sendsSomething({ canonical, propagated } as never)).toBe(expected);
    expect(
      sendsSomething({ canonical: { ...canonical, updated_fields: ['notes'] }, propagated } as never),
    ).toBe(true);
  });
});
