import { unknownMembers } from '../testing/json.arbitrary';
import { fc } from '../testing/property';
import { sortedJson } from '../testing/sorted-json';
import type { JsonValue } from '../json/json-value';
import {
  fieldsOfDefinitions,
  isOwnFieldName,
  OwnFields,
  ownFieldName,
  setShownField,
  shownField,
  withPrefixedFields,
  type OwnCodec,
  type OwnFieldDefinition,
} from './own-fields';
import { canonicalFields, fieldListOf, fieldsOf } from './types';

function definition(
  name: string,
  codec: OwnCodec = 'text',
  more: Partial<OwnFieldDefinition> = {},
): OwnFieldDefinition {
  return { entityType: 'project', name, codec, platforms: {}, ...more };
}

describe('the name of an own field', () => {
  it('has a prefix that no other field has', () => {
    expect(ownFieldName('region')).toBe('custom.region');
    expect(['custom.region', 'custom.', 'region', 'region.custom.', 'custom'].map(isOwnFieldName)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('the own fields of a customer', () => {
  const invoiced = definition('b', 'text', { entityType: 'invoice' });
  const own = new OwnFields([definition('b'), invoiced, definition('a', 'money', { label: 'Retained.' })]);

  it('are those of their type, in their order', () => {
    expect(own.of('project').map(({ name }) => name)).toEqual(['b', 'a']);
    expect(own.of('invoice')).toEqual([invoiced]);
    expect(own.of('payment')).toEqual([]);
  });

  it('come behind the built-in ones of their type', () => {
    const builtIn = Object.keys(canonicalFields.project);
    expect(fieldListOf('project', own).map(({ name }) => name)).toEqual([...builtIn, 'custom.b', 'custom.a']);
    expect(Object.keys(fieldsOf('project', own))).toEqual([...builtIn, 'custom.b', 'custom.a']);
    expect(fieldsOf('project', own)['custom.a']).toMatchObject({ type: 'money', description: 'Retained.' });
    expect(fieldListOf('payment', own)).toEqual(fieldListOf('payment'));
    expect(fieldListOf('project').map(({ name }) => name)).toEqual(builtIn);
    expect(fieldsOf('project')).toBe(canonicalFields.project);
  });

  it('are made once for each type', () => {
    expect(fieldListOf('project', own)).toBe(fieldListOf('project', own));
    expect(fieldsOf('project', own)).toBe(fieldsOf('project', own));
  });

  it.each<[OwnCodec, object, JsonValue, JsonValue]>([
    ['text', { type: 'text', schema: { type: 'string' }, expects: 'a string' }, 'x', 1],
    ['decimal', { type: 'decimal', schema: { pattern: '^-?\\d+(\\.\\d+)?$' } }, '7.5', '1e3'],
    [
      'money',
      { type: 'money', money: true, unit: 'minor_units', schema: { named: 'Money' } },
      { amount: 1, currency: 'USD' },
      1,
    ],
    ['date', { type: 'date', expects: 'a date such as "2026-02-01"' }, '2026-02-01', '2026-02-30'],
    ['boolean', { type: 'boolean', expects: 'true or false' }, false, 'false'],
    [{ one_of: ['x', 'y'] }, { type: 'one_of', values: ['x', 'y'], expects: 'one of x, y' }, 'y', 'z'],
  ])('of the codec %j take its values', (codec, expected, good, bad) => {
    const fieldOf = (more: Partial<OwnFieldDefinition>) =>
      fieldsOfDefinitions([definition('f', codec, more)])['custom.f'];
    const field = fieldOf({});
    expect(field).toMatchObject({ ...expected, description: 'The customer’s own field f.' });
    expect([field?.accepts(good), field?.accepts(bad)]).toEqual([true, false]);
    expect(fieldOf({ label: 'A label.' })?.description).toBe('A label.');
  });
});

describe('an object that is shown', () => {
  it('has each field where it was set: own ones inside `custom`', () => {
    const object: Record<string, JsonValue> = {};
    setShownField(object, 'name', 'Tower');
    setShownField(object, 'custom.region', 'North');
    setShownField(object, 'custom.__proto__', 1);
    expect(JSON.stringify(object)).toBe('{"name":"Tower","custom":{"region":"North","__proto__":1}}');
    expect(
      ['name', 'custom.region', 'custom.__proto__', 'custom.none', 'region', 'constructor'].map((field) =>
        shownField(object, field),
      ),
    ).toEqual(['Tower', 'North', 1, undefined, undefined, undefined]);
    expect(shownField({ custom: 'x' }, 'custom.length')).toBeUndefined();
  });

  it('has the same fields by their prefixed names', () => {
    fc.assert(
      fc.property(unknownMembers, unknownMembers, (others, custom) => {
        const prefixed = Object.entries(custom).map(([name, value]) => [`custom.${name}`, value] as const);
        expect(sortedJson(withPrefixedFields({ ...others, custom }))).toBe(
          sortedJson({ ...others, ...Object.fromEntries(prefixed) }),
        );
        expect(withPrefixedFields(others)).toBe(others);
      }),
    );
  });
});
