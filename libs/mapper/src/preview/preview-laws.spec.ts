import { withValuesAt } from '../json/json-path';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value';
import { MappingError } from '../mapping/mapping-error';
import { currencyCodes } from '../money/currencies';
import { convert } from '../money/convert';
import { isMoney, moneyNumber } from '../money/money';
import type { PlatformName } from '../platforms';
import { previewTranslation } from './preview';
import { readMapperContext } from './preview-context';
import { allMappings, counterpartsOf, type NamedMapping } from '../testing/all-mappings';
import { anyJson, unknownMembers } from '../testing/json.arbitrary';
import { payloadOf } from '../testing/payload.arbitrary';
import { fc } from '../testing/property';
import { sandboxRecords } from '../testing/sandbox-records';
import { sortedJson } from '../testing/sorted-json';
import { previewed, rowsFor, roundTrip } from '../testing/round-trip';

const journeys = allMappings.flatMap((one) =>
  counterpartsOf(one).map((other) => ({ name: `${one.name} by way of ${other.name}`, one, other })),
);

const euro = { from: 'USD', to: 'EUR', rate: '0.9137' };
const conversions: readonly { readonly there: JsonObject; readonly back: JsonObject }[] = [
  { there: {}, back: {} },
  { there: { targetCurrency: 'QAR' }, back: { targetCurrency: 'USD' } },
  { there: { targetCurrency: 'JPY', exchangeRate: { from: 'USD', to: 'JPY', rate: '151.37' } }, back: {} },
  {
    there: { targetCurrency: 'EUR', exchangeRate: euro },
    back: { targetCurrency: 'USD', exchangeRate: euro },
  },
];

describe.each(journeys)('$name', ({ one, other }) => {
  it.each([
    ['as it is', conversions.slice(0, 1), false],
    ['with its amounts converted', conversions.slice(1), true],
  ])('comes back whole, %s', (_, choices, convertible) => {
    fc.assert(
      fc.property(
        payloadOf(one, { portable: true, convertible }),
        fc.boolean(),
        fc.constantFrom(...choices),
        (payload, knowsRows, { there, back }) => {
          const mappings: JsonObject = knowsRows ? { mappings: rowsFor(one, other, payload) } : {};
          const journey = roundTrip(one, other, payload, {
            there: { ...there, ...mappings },
            back: { ...back, ...mappings },
          });
          expect(sortedJson(journey.back.payload)).toBe(sortedJson(payload));
        },
      ),
    );
  });
});

describe.each(allMappings)('a preview of $name', (named) => {
  const context: JsonObject = named.variant === undefined ? {} : { commitmentType: named.variant };

  it('gives data or a MappingError for any JSON object, on either platform', () => {
    const payloads = fc.oneof(
      payloadOf(named, { portable: false, currencies: ['USD', 'KWD'] }),
      unknownMembers,
    );
    const contexts = fc.record(
      {
        currency: fc.constantFrom('USD', 'QAR', 'JPY'),
        targetCurrency: fc.constantFrom('QAR', 'EUR', 'USD'),
        provider_metadata: fc.record({ platform_a: fc.record({ fields: unknownMembers }) }),
        other: anyJson,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(payloads, contexts, fc.constantFrom(...allMappings), (payload, more, target) => {
        try {
          const { payload: written } = previewed(named, target, payload, {
            ...(more as JsonObject),
            ...context,
          });
          expect(typeof written).toBe('object');
        } catch (error) {
          if (!(error instanceof MappingError)) throw error;
          for (const { path } of error.issues) expect(path).toMatch(/^(data|context)\../);
        }
      }),
    );
  });

  it('gives the payload itself for its own platform', () => {
    fc.assert(
      fc.property(payloadOf(named, { portable: true }), (payload) => {
        const same = previewed(named, named, payload, context);
        expect(same.payload).toBe(payload);
        expect(same.references).toBeUndefined();
        expect(same.conversion).toBeUndefined();
      }),
    );
  });
});

describe('the sandbox data set', () => {
  it('is whole', () => {
    expect(sandboxRecords.filter(({ named }) => named.platform === 'platform_a')).toHaveLength(38);
    expect(sandboxRecords.filter(({ named }) => named.platform === 'platform_b')).toHaveLength(36);
  });

  it.each(sandboxRecords)(
    'gives $name back whole after its way over the other platform',
    ({ named, payload }) => {
      const [other] = counterpartsOf(named);
      if (other === undefined) throw new Error('every type is on both platforms');
      const { currency = 'USD' } = named.mapping.decode(payload, {
        inheritedCurrency: 'USD',
        localCurrency: 'USD',
      });
      const conversion = {
        targetCurrency: 'EUR',
        exchangeRate: { from: currency, to: 'EUR', rate: '0.4711' },
      };
      fc.assert(
        fc.property(
          unknownMembers,
          unknownMembers,
          fc.constantFrom({}, conversion),
          (outer, inner, there: JsonObject) => {
            const strange = amongUnknown(payload, outer, inner);
            const { back } = roundTrip(named, other, strange, { there });
            expect(sortedJson(back.payload)).toBe(sortedJson(strange));
          },
        ),
        { numRuns: 5 },
      );
    },
  );
});

describe('the sandbox data set, converted on the way back only', () => {
  const currencies = { inheritedCurrency: 'USD', localCurrency: 'USD' };
  const withAmounts = sandboxRecords.filter(({ named, payload }) => {
    const { mapping } = named;
    return (
      mapping.pathOf('currency') !== undefined && isMoney(mapping.decode(payload, currencies).data.amount)
    );
  });
  const euros = {
    numerator: 4711n,
    denominator: 10_000n,
    rate: '0.4711',
    to: 'EUR',
    source: 'request',
  } as const;

  it.each(withAmounts)('has $name in the currency that it names', ({ named, payload }) => {
    const [other] = counterpartsOf(named);
    if (other === undefined) throw new Error('every type is on both platforms');
    const before = named.mapping.decode(payload, currencies);
    const { currency: from = 'USD' } = before;
    const back = { targetCurrency: 'EUR', exchangeRate: { from, to: 'EUR', rate: '0.4711' } };
    for (const factor of [1, 2]) {
      const edit = (shown: JsonObject) => withAmount(other, shown, from, factor);
      const { payload: result } = roundTrip(named, other, payload, { back }, edit).back;
      const after = named.mapping.decode(result, currencies);
      const [amount, now] = [before.data.amount, after.data.amount];
      if (!isMoney(amount)) throw new Error('each of them has an amount');
      expect(after.data.currency).toBe('EUR');
      expect(now).toEqual(convert({ amount: factor * amount.amount, currency: from }, { ...euros, from }));
    }
  });
});

/** The record with its amount times a factor. */
function withAmount(
  { mapping }: NamedMapping,
  record: JsonObject,
  currency: string,
  factor: number,
): JsonObject {
  const { data } = mapping.decode(record, { inheritedCurrency: currency, localCurrency: currency });
  const path = mapping.pathOf('amount');
  if (factor === 1 || path === undefined || !isMoney(data.amount)) return record;
  const context = { currency, localCurrency: currency };
  const amount: JsonObject = { amount: factor * data.amount.amount, currency };
  const { changes } = mapping.changesOf(['amount'], { amount }, context);
  return withValuesAt(record, changes);
}

/** The record with members nobody knows beside its own, and in each of its objects. */
function amongUnknown(payload: JsonObject, outer: JsonObject, inner: JsonObject): JsonObject {
  const members = Object.entries(payload).map(([member, value]): [string, JsonValue] => [
    member,
    isJsonObject(value) ? { ...inner, ...value } : value,
  ]);
  return { ...outer, ...Object.fromEntries(members) };
}

describe('a payment in any currency', () => {
  it.each(['USD', 'JPY', 'KWD'])(
    'comes back whole, read in %s where its record names none',
    (defaultCurrency) => {
      const preview = (
        source: PlatformName,
        target: PlatformName,
        payload: JsonObject,
        context: JsonObject,
      ) =>
        previewTranslation({
          customerId: 'customer',
          source,
          target,
          entityType: 'payment',
          payload,
          context: readMapperContext(context),
          defaultCurrency,
        });
      const amounts = fc.tuple(fc.constantFrom(...currencyCodes), fc.integer({ min: -1e9, max: 1e9 }));
      const spelling = fc.constantFrom(
        (code: string) => code,
        (code: string) => ` ${code.toLowerCase()}`,
      );
      fc.assert(
        fc.property(amounts, spelling, ([currency, minor], spelt) => {
          const record = { amount: moneyNumber({ amount: minor, currency }), currencyCode: spelt(currency) };
          const there = preview('platform_b', 'platform_a', record, {});
          const { provider_metadata = null } = there.canonical;
          const back = preview('platform_a', 'platform_b', there.payload, { provider_metadata });
          expect(back.payload).toEqual(record);
        }),
        { numRuns: 200 },
      );
    },
  );
});
