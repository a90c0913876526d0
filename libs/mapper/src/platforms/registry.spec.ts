/** @jest-environment node */
import { storedEntityTypes } from '../canonical/entity-type';
import { isJsonObject, ownMember, type JsonValue } from '../json/json-value';
import { previewTranslation } from '../preview/preview';
import { readMapperContext } from '../preview/preview-context';
import type { NamedMapping } from '../testing/all-mappings';
import { canonicalData, inUsd } from '../testing/canonical.arbitrary';
import { payloadOf } from '../testing/payload.arbitrary';
import { fc } from '../testing/property';
import { smallPlatform } from '../testing/small-platform';
import { sortedJson } from '../testing/sorted-json';
import {
  inPrecedence,
  isPlatformName,
  mappingOf,
  platformNames,
  platformOf,
  registerPlatform,
  variantsOf,
} from '.';
import type { PlatformName } from '.';

// The type lists the built-in platforms only; the registry itself goes by name.
const ledger = 'platform_c' as PlatformName;
const kept = platformNames;
const builtIn = [...platformNames];
registerPlatform(ledger, smallPlatform);

const small = storedEntityTypes.map((entityType): NamedMapping => ({
  name: `${ledger} ${entityType}`,
  platform: ledger,
  entityType,
  variant: undefined,
  mapping: mappingOf(ledger, entityType),
}));

describe('the registry of platforms', () => {
  it('puts a further platform behind the others, also for who holds the list already', () => {
    expect(kept).toEqual([...builtIn, 'platform_c']);
    expect(isPlatformName('platform_c')).toBe(true);
    expect(platformOf(ledger)).toBe(smallPlatform);
    expect(variantsOf(ledger, 'contract')).toBeUndefined();
    expect(mappingOf(ledger, 'payment').resource.name).toBe('payments');
  });

  it('sorts items of platforms by precedence, those of unknown platforms last', () => {
    const items = ['gone', 'platform_c', 'platform_a', 'platform_b'].map((platform) => ({ platform }));
    expect(inPrecedence(items).map(({ platform }) => platform)).toEqual([
      'platform_a',
      'platform_b',
      'platform_c',
      'gone',
    ]);
  });

  it('leaves items as they are that come in their order', () => {
    const inOrder = ['platform_a', 'platform_a', 'platform_c', 'gone', 'lost'].map((platform) => ({
      platform,
    }));
    expect(inPrecedence(inOrder)).toBe(inOrder);
    const turned = [{ platform: 'platform_b' }, { platform: 'platform_a' }];
    expect(inPrecedence(turned)).toEqual(turned.toReversed());
  });

  it.each([
    ['platform_a', 'a platform platform_a is registered already'],
    ['platform_c', 'a platform platform_c is registered already'],
    ...['Platform', 'platform c', '__proto__', ''].map((name) => [
      name,
      `${name} cannot be the name of a platform`,
    ]),
  ])('refuses the name "%s"', (name, message) => {
    expect(() => {
      registerPlatform(name, smallPlatform);
    }).toThrow(new TypeError(message));
  });

  it('does not know a platform that is not registered', () => {
    expect(isPlatformName('gone')).toBe(false);
    expect(isPlatformName('constructor')).toBe(false);
    expect(() => platformOf('gone' as PlatformName)).toThrow(new RangeError('there is no platform gone'));
  });
});

describe.each(small)('the mapping of $name', (named) => {
  const { mapping, entityType } = named;

  it('gives every payload back whole', () => {
    fc.assert(
      fc.property(payloadOf(named, { portable: false }), (payload) => {
        const { data, residue, currency } = mapping.decode(payload, inUsd);
        const back = mapping.encode(data, { residue, currency, localCurrency: 'USD' });
        expect(back.issues).toEqual([]);
        expect(sortedJson(back.payload)).toBe(sortedJson(payload));
      }),
    );
  });

  it('gives canonical data back as it was', () => {
    fc.assert(
      fc.property(canonicalData(entityType, mapping, inUsd), (data) => {
        const { payload, issues } = mapping.encode(data, inUsd);
        expect(issues).toEqual([]);
        expect(sortedJson(mapping.decode(payload, inUsd).data)).toBe(sortedJson(data));
      }),
    );
  });

  it('reads the same with a residue and without', () => {
    fc.assert(
      fc.property(payloadOf(named, { portable: false }), (payload) => {
        const { residue, ...decoded } = mapping.decode(payload, inUsd);
        const { residueOf, ...read } = mapping.read(payload, inUsd);
        expect(read).toEqual(decoded);
        expect(residueOf()).toEqual(residue);
        expect(isJsonObject(residue.fields)).toBe(true);
      }),
    );
  });
});

describe('a preview to and from a registered platform', () => {
  const previewed = (source: PlatformName, target: PlatformName, payload: Record<string, JsonValue>) =>
    previewTranslation({
      customerId: 'customer',
      source,
      target,
      entityType: 'payment',
      payload,
      context: readMapperContext({}),
      defaultCurrency: 'USD',
    });

  it.each(['platform_a', 'platform_b'] as const)('goes there and back from %s', (platform) => {
    const payload: Record<string, JsonValue> =
      platform === 'platform_a'
        ? { check_number: 'CHK-1', amount: '12.50', notes: 'x' }
        : { externalDocumentNumber: 'CHK-1', amount: -12.5, comment: 'x' };
    const there = previewed(platform, ledger, payload);
    expect(there.payload).toEqual({ code: 'CHK-1', sum: '12.50', remark: 'x' });
    expect(ownMember(there.canonical, 'amount')).toEqual({ amount: 1250, currency: 'USD' });
    expect(previewed(ledger, platform, there.payload as Record<string, JsonValue>).payload).toMatchObject(
      payload,
    );
  });
});
