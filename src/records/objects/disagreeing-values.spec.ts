import { assembleObject, type JsonObject, type PlatformName } from '@app/mapper';
import { disagreeingFields } from './disagreeing-values';
import type { LoadedObject, StoredCopy } from '../loaded-object';

function copy(platform: PlatformName, payload: JsonObject): StoredCopy {
  return {
    platform,
    platformId: '1',
    variant: null,
    payload,
    known: payload,
    payloadText: JSON.stringify(payload),
    accepted: null,
    inheritedCurrency: 'USD',
    localCurrency: 'QAR',
    references: {},
  };
}

function fieldsOf(entityType: LoadedObject['entityType'], a: JsonObject, b: JsonObject) {
  const object: LoadedObject = {
    id: 'x_0123456789abcdef',
    entityType,
    extra: {},
    copies: [copy('platform_a', a), copy('platform_b', b)],
  };
  return disagreeingFields(object, assembleObject(object).disagreements);
}

describe('a field on which platforms differ', () => {
  it('has what each of them says, as it writes it and in canonical form', () => {
    const [amount, ...others] = fieldsOf(
      'payment',
      { amount: '10.00' },
      { amount: -40, currencyCode: 'QAR' },
    );
    expect(others).toEqual([]);
    expect(amount).toEqual({
      field: 'amount',
      values: {
        platform_a: { native: '10.00', canonical: { amount: 1_000, currency: 'USD' } },
        platform_b: { native: -40, canonical: { amount: 4_000, currency: 'QAR' } },
      },
      stands: 'platform_a',
      why: 'it comes first by default',
    });
  });

  it('has the native fields by their paths where its value stands in several', () => {
    const [address] = fieldsOf(
      'customer',
      { address: 'One', city: 'Doha' },
      { addressLine1: 'Two', city: 'Doha' },
    );
    expect(address).toMatchObject({
      field: 'address',
      values: { platform_b: { native: { addressLine1: 'Two', city: 'Doha' } } },
    });
  });

  it('is none where they agree', () => {
    expect(fieldsOf('payment', { notes: 'one' }, { comment: 'one' })).toEqual([]);
  });
});
