import { OwnFields, ownFieldName, type OwnFieldDefinition } from '../canonical/own-fields';
import { fieldsOf } from '../canonical/types';
import { assembleFields, assembleObject, type PlatformCopy } from '../canonical-object/assemble';
import { ComparedRecords } from '../canonical-object/compare';
import { describeType } from '../documentation/described-type';
import { ownMember, type JsonObject } from '../json/json-value';
import { mappingOf } from '../platforms';
import { problemsOfDefinition, problemsOfPaths } from '../platforms/own-field-problems';
import { allMappings, counterpartsOf } from '../testing/all-mappings';
import { canonicalData, inUsd } from '../testing/canonical.arbitrary';
import { ownFieldsOf, withOwn } from '../testing/own-fields.arbitrary';
import { payloadOf } from '../testing/payload.arbitrary';
import { fc } from '../testing/property';
import { roundTrip, throughText } from '../testing/round-trip';
import { sortedJson } from '../testing/sorted-json';

const RUNS = { numRuns: 40 };
const NOT_WRITABLE = 'is not written, as its definition says';

describe.each(allMappings)('the mapping of $name with own fields', (named) => {
  const { entityType, platform, variant } = named;
  const payloads = { portable: false, currencies: ['USD', 'QAR', 'JPY', 'KWD'] } as const;
  const record = ownFieldsOf(entityType).chain((own) =>
    payloadOf(withOwn(named, own), payloads).map((payload) => ({ own, payload })),
  );

  it('is compiled once for the fields of a customer, and is the mapping itself for a type without', () => {
    const own = new OwnFields([]);
    expect(mappingOf(platform, entityType, { variant, own })).toBe(named.mapping);
    fc.assert(
      fc.property(ownFieldsOf(entityType), (some) => {
        const { mapping } = withOwn(named, some);
        expect(mapping).toBe(withOwn(named, some).mapping);
        expect(mapping).not.toBe(named.mapping);
      }),
      RUNS,
    );
  });

  it('gives every payload back whole, and reads the built-in fields as without', () => {
    fc.assert(
      fc.property(record, ({ own, payload }) => {
        const { mapping } = withOwn(named, own);
        const { data, residue, currency } = mapping.decode(payload, inUsd);
        const back = mapping.encode(throughText(data), { residue, currency, localCurrency: 'USD' });
        expect(back.issues).toEqual([]);
        expect(sortedJson(back.payload)).toBe(sortedJson(payload));
        const plain = named.mapping.decode(payload, inUsd);
        const builtIn = Object.entries(data).filter(([field]) => !field.startsWith('custom.'));
        expect(sortedJson(Object.fromEntries(builtIn))).toBe(sortedJson(plain.data));
      }),
      RUNS,
    );
  });

  it('gives canonical data back as it was', () => {
    const values = ownFieldsOf(entityType).chain((own) =>
      canonicalData(entityType, withOwn(named, own).mapping, inUsd, (field) =>
        field.startsWith('custom.'),
      ).map((data) => ({ own, data })),
    );
    fc.assert(
      fc.property(values, ({ own, data }) => {
        const { mapping } = withOwn(named, own);
        const written = mapping.encode(data, inUsd);
        const read = mapping.decode(throughText(written.payload), inUsd);
        expect([...written.issues, ...read.issues]).toEqual([]);
        const mine = Object.entries(read.data).filter(([field]) => field.startsWith('custom.'));
        expect(sortedJson(Object.fromEntries(mine))).toBe(sortedJson(data));
      }),
      RUNS,
    );
  });

  it('comes back from every other platform as it was', () => {
    const portable = ownFieldsOf(entityType).chain((own) =>
      payloadOf(withOwn(named, own), { portable: true }).map((payload) => ({ own, payload })),
    );
    for (const other of counterpartsOf(named)) {
      if (named.variant !== undefined && other.variant !== undefined) continue;
      fc.assert(
        fc.property(portable, ({ own, payload }) => {
          const { back } = roundTrip(withOwn(named, own), withOwn(other, own), payload);
          expect(sortedJson(back.payload)).toBe(sortedJson(payload));
        }),
        RUNS,
      );
    }
  });
});

it('an own field that is cleared gets the value of its type that means nothing, where there is no null', () => {
  const codecs = ['text', 'decimal', 'money', 'date', 'boolean', { one_of: ['red'] }] as const;
  const definitions = codecs.map((codec, index): OwnFieldDefinition => {
    const platforms = Object.fromEntries(
      ['platform_a', 'platform_b'].map((platform) => [platform, { path: `own${index}`, writable: true }]),
    );
    return { entityType: 'payment', name: `own${index}`, codec, platforms };
  });
  const cleared = (platform: PlatformCopy['platform']) => {
    const mapping = mappingOf(platform, 'payment', { own: new OwnFields(definitions) });
    const fields = definitions.map(({ name }) => ownFieldName(name));
    const data = Object.fromEntries(fields.map((field) => [field, null]));
    return mapping.changesOf(fields, data, inUsd).changes.map(({ value }) => value);
  };
  expect(cleared('platform_a')).toEqual([null, null, null, null, null, null]);
  expect(cleared('platform_b')).toEqual(['', 0, 0, '0001-01-01', false, '']);
});

const costCenter: OwnFieldDefinition = {
  entityType: 'payment',
  name: 'cost_center',
  codec: 'text',
  label: 'Cost center',
  platforms: {
    platform_a: { path: 'custom_fields.custom_field_7', writable: true },
    platform_b: { path: 'costCenter', writable: true },
  },
};
const own = new OwnFields([costCenter]);

function copyOf(platform: PlatformCopy['platform'], payload: JsonObject): PlatformCopy {
  return {
    ...{ platform, platformId: `${platform} 1`, variant: null, payload, references: {} },
    ...{ inheritedCurrency: 'USD', localCurrency: 'USD' },
  };
}

describe('an own field', () => {
  const copies = [
    copyOf('platform_a', { custom_fields: { custom_field_7: { data_type: 'string', value: 'North' } } }),
    copyOf('platform_b', { costCenter: 'South' }),
  ];
  const stored = { id: 'pay_1', entityType: 'payment', copies, extra: {} } as const;

  it('is assembled, compared and disputed like any other', () => {
    const terms = { rates: [], precedence: {}, own };
    const { object, disagreements } = assembleObject(stored, terms);
    expect(object.custom).toEqual({ cost_center: 'North' });
    expect(disagreements).toMatchObject([{ field: 'custom.cost_center', other: { value: 'South' } }]);
    expect(assembleFields(stored, ['custom.cost_center'], terms)).toEqual({ 'custom.cost_center': 'North' });
    const [difference] = new ComparedRecords(stored, own).differences('platform_a', 'platform_b', []);
    expect(difference).toMatchObject({
      left: { path: 'custom_fields.custom_field_7.value', native: 'North' },
      right: { path: 'costCenter', native: 'South' },
    });
    const other = { ...terms, precedence: { payment: { 'custom.cost_center': ['platform_b'] as const } } };
    expect(assembleObject(stored, other).object.custom).toEqual({ cost_center: 'South' });
  });

  it('is not there for a customer that has not defined it', () => {
    const { object, disagreements } = assembleObject(stored);
    expect(Object.keys(object)).not.toContain('custom');
    expect(disagreements).toEqual([]);
    expect(fieldsOf('payment')[ownFieldName('cost_center')]).toBeUndefined();
  });

  it('for money ends with the currency of its record, as other amounts do', () => {
    const definition = { ...costCenter, entityType: 'contract', codec: 'money' } as const;
    const alone = { ...definition, platforms: { platform_a: { path: 'bond', writable: true } } };
    const [one, other] = ['platform_a', 'platform_b'].map((platform) =>
      allMappings.find((named) => named.entityType === 'contract' && named.platform === platform),
    );
    if (one === undefined || other === undefined) throw new Error('both platforms have contracts');
    const [from, to] = [one, other].map((named) => withOwn(named, new OwnFields([alone])));
    const currencyIn = (code: string) => ({ currency_configuration: { currency_iso_code: code } });
    const record = { grand_total: '100.00', bond: '7.00', ...currencyIn('USD') };
    const back = (edit: JsonObject) =>
      roundTrip(from ?? one, to ?? other, record, {}, (payload) => ({ ...payload, ...edit })).back.payload;
    expect(back({})).toEqual(record);
    expect(back({ currencyCode: 'EUR' })).toEqual({ grand_total: '100.00', ...currencyIn('EUR') });
  });

  it('gives way to a built-in field that has come to its path', () => {
    const taken = { ...costCenter, platforms: { platform_a: { path: 'check_number', writable: true } } };
    const mapping = mappingOf('platform_a', 'payment', { own: new OwnFields([taken]) });
    expect(mapping.pathOf('custom.cost_center')).toBeUndefined();
    expect(mapping.decode({ check_number: 'CHK-1' }, inUsd).data).toEqual({ check_number: 'CHK-1' });
  });

  it('leaves out a value that was written under another definition', () => {
    const extra = { 'custom.cost_center': { amount: 1, currency: 'USD' } };
    const alone = { ...stored, copies: [copyOf('platform_a', {})], extra };
    expect(
      ownMember(assembleObject(alone, { rates: [], precedence: {}, own }).object, 'custom'),
    ).toBeUndefined();
  });

  const free = { when_creating: true, when_changing: true, why: null };
  const noCustomField = expect.stringContaining('no custom field');
  it.each([
    ['contract', 'custom_fields.custom_field_9', true, free],
    ['contract', 'inclusions', true, free],
    ['contract', 'custom_fields.custom_field_9', false, { when_changing: false, why: NOT_WRITABLE }],
    ['project', 'custom_fields.custom_field_9', true, { when_creating: false, when_changing: true }],
    ['payment', 'custom_fields.custom_field_9', true, { when_changing: false, why: noCustomField }],
    ['contract', 'made_up', true, { when_changing: false, why: noCustomField }],
    ['contract', 'created_by_id', true, { when_changing: false, why: 'is the user who created it' }],
    [
      'contract',
      'project.name',
      true,
      { when_changing: false, why: expect.stringContaining('of the project') },
    ],
  ] as const)(
    'of a %s at %s of platform_a, writable %s, says who may write it',
    (entityType, path, writable, access) => {
      const definition = { ...costCenter, entityType, platforms: { platform_a: { path, writable } } };
      const context = { precedence: {}, sandboxes: new Set<never>(), own: new OwnFields([definition]) };
      const field = describeType(entityType, context).fields.find(
        ({ name }) => name === 'custom.cost_center',
      );
      expect(field).toMatchObject({ type: 'text', description: 'Cost center', counts: ['platform_a'] });
      expect(field?.on[0]).toMatchObject(access);
    },
  );

  it.each([
    ['costCenter', free],
    ['own.inner', { when_changing: false, why: expect.stringContaining('plain members') }],
    ['@odata.etag', { when_changing: false }],
  ] as const)('at %s of platform_b says who may write it', (path, access) => {
    const definition = { ...costCenter, platforms: { platform_b: { path, writable: true } } };
    const context = { precedence: {}, sandboxes: new Set<never>(), own: new OwnFields([definition]) };
    const field = describeType('payment', context).fields.find(({ name }) => name === 'custom.cost_center');
    expect(field?.on[0]).toMatchObject(access);
  });
});

describe('a definition', () => {
  const at = (path: string, platform = 'platform_a') =>
    problemsOfPaths({ ...costCenter, platforms: { [platform]: { path, writable: true } } }, own);

  it.each([
    ['amount', /^amount of platform_a holds amount$/],
    ['amount.value', /holds amount/],
    ['id', /holds the native ID/],
    ['', /joined by points/],
    ['a..b', /joined by points/],
    [' a', /joined by points/],
    ['a.__proto__.b', /__proto__ cannot be a member/],
    ['constructor', /constructor cannot be a member/],
    ['a.b.c.d.e.f.g.h.i', /at most 8 members/],
    ['a'.repeat(201), /200 characters/],
    ['a\u0000', /joined by points/],
  ])('with the path %j has a problem', (path, problem) => {
    expect(at(path)).toEqual([
      { path: 'platforms.platform_a.path', problem: expect.stringMatching(problem) },
    ]);
  });

  it('has its own path, and not that of another one', () => {
    expect(problemsOfPaths(costCenter, own)).toEqual([]);
    expect(problemsOfPaths({ ...costCenter, name: 'other' }, own)).toMatchObject([
      { problem: 'custom_fields.custom_field_7.value holds the own field cost_center' },
      { problem: 'costCenter holds the own field cost_center' },
    ]);
  });

  it('names platforms and words that there are', () => {
    const problems = (changes: Partial<OwnFieldDefinition>) =>
      problemsOfDefinition({ ...costCenter, ...changes }).map(({ path }) => path);
    expect(problems({})).toEqual([]);
    expect(problems({ platforms: {} })).toEqual(['platforms']);
    expect(problems({ platforms: { platform_z: { path: 'x', writable: true } } })).toEqual(['platforms']);
    expect(problems({ codec: { one_of: ['a', 'b'] } })).toEqual([]);
    for (const one_of of [[], ['a', 'a'], ['unknown'], [' '], ['a'.repeat(101)]])
      expect(problems({ codec: { one_of } })).toEqual(['codec.one_of']);
  });
});
