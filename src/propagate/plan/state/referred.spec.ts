import type { JsonObject } from '@app/mapper';
import type { StoredCopy } from '../../../records/loaded-object';
import { noneExpected } from './expected-record';
import { referredPayloads, type ReferredObjects } from './referred';

const context = { inheritedCurrency: 'USD', localCurrency: 'USD', references: {}, variant: null };

function copyOf(payload: () => JsonObject): StoredCopy {
  return {
    ...context,
    platform: 'platform_a',
    platformId: '1',
    known: {},
    payloadText: '{}',
    accepted: null,
    get payload() {
      return payload();
    },
  };
}

describe('the records that a write refers to', () => {
  let parsed = 0;
  const contract = copyOf(() => ({ number: `SC-${(parsed += 1)}` }));
  const referredObjects: ReferredObjects = new Map([
    ['cor_1', { id: 'cor_1', entityType: 'contract', extra: {}, copies: [contract] }],
  ]);
  const state = { referredObjects, expected: noneExpected };
  const payment = { contract_id: 'cor_1', invoice_id: 'inv_1', notes: 'cor_1' };

  it('are those that the platform has, each parsed when it is looked at', () => {
    const payloads = referredPayloads('platform_a', 'payment', payment, state);
    expect(Object.keys(payloads)).toEqual(['contract_id']);
    expect(parsed).toBe(0);
    expect(payloads.contract_id).toEqual({ number: 'SC-1' });
    expect(JSON.stringify(payloads)).toBe('{"contract_id":{"number":"SC-2"}}');
    expect(referredPayloads('platform_b', 'payment', payment, state)).toEqual({});
  });
});
