import type { JsonObject } from '@app/mapper';
import type { StoredCopy } from '../../../records/loaded-object';
import { noneExpected, type ExpectedRecord } from './expected-record';
import {
  withDerivedReferences,
  copyOn,
  referenceIds,
  referenceOn,
  referredPayloads,
  type ReferredObjects,
} from './referred';

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

  it('are those to come where the platform has none yet', () => {
    const coming: ExpectedRecord = {
      ...context,
      ...{ commandId: 'c1', canonicalId: 'inv_1', entityType: 'invoice', payload: { number: 'I-1' } },
    };
    const expected = new Map([['platform_b inv_1', coming]]);
    expect(referredPayloads('platform_b', 'payment', payment, { referredObjects, expected })).toEqual({
      invoice_id: { number: 'I-1' },
    });
  });
});

describe('the references of an object', () => {
  const invoice: StoredCopy = { ...copyOf(() => ({})), references: { contract_id: 'cor_1' } };
  const contract: StoredCopy = { ...copyOf(() => ({ number: 'SC-1' })), payload: { number: 'SC-1' } };
  const referredObjects: ReferredObjects = new Map([
    ['inv_1', { id: 'inv_1', entityType: 'invoice', extra: {}, copies: [invoice] }],
    ['cor_1', { id: 'cor_1', entityType: 'contract', extra: {}, copies: [contract] }],
  ]);

  it('are the IDs in its reference fields', () => {
    const payment = { contract_id: 'cor_1', invoice_id: null, notes: 'cor_2' };
    expect(referenceIds('payment', payment)).toEqual(['cor_1']);
  });

  it('are completed with what the records they name refer to, and kept where they are there', () => {
    expect(
      withDerivedReferences(
        'payment',
        { invoice_id: 'inv_1', contract_id: null, notes: 'x' },
        referredObjects,
      ),
    ).toEqual({
      ...{ invoice_id: 'inv_1', contract_id: 'cor_1', notes: 'x' },
    });
    const own = { invoice_id: 'inv_1', contract_id: 'cor_2' };
    expect(withDerivedReferences('payment', own, referredObjects)).toEqual(own);
    expect(withDerivedReferences('payment', { invoice_id: 'inv_2' }, referredObjects)).toEqual({
      invoice_id: 'inv_2',
    });
  });

  it('are a platform’s ID and key for a record, and nothing where the platform has none', () => {
    expect(referenceOn('platform_a', 'cor_1', referredObjects)).toEqual({ id: '1', key: 'SC-1' });
    expect(referenceOn('platform_b', 'cor_1', referredObjects)).toBeUndefined();
    expect(referenceOn('platform_a', null, referredObjects)).toBeNull();
    expect(copyOn('platform_a', 'inv_1', referredObjects)).toBe(invoice);
    expect(copyOn('platform_b', 'inv_1', referredObjects)).toBeUndefined();
    expect(copyOn('platform_a', 'inv_2', referredObjects)).toBeUndefined();
  });
});
