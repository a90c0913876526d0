import { project } from '../canonical/types';
import { absent, at } from '../mapping/binding';
import { decimalCodec } from '../mapping/codecs/number';
import { textCodec } from '../mapping/codecs/text';
import { Mapping } from '../mapping/mapping';
import { allMappings } from '../testing/all-mappings';
import {
  fields,
  laterInSandboxesOnly,
  never,
  onlyWhenCreating,
  placed,
  throughLines,
  withheld,
  withheldAfterCreation,
  type NativeFields,
} from './native-field';
import { NativeResource } from './native-resource';

const text = textCodec({ blank: null });
const decimal = decimalCodec('text');
const described = (...given: readonly NativeFields[]) =>
  new NativeResource({ name: 'jobs', requiredToCreate: [], fields: given });

describe('who may write a field', () => {
  it.each<[string, NativeFields, string]>([
    ['any client', fields('text', 'x'), 'write'],
    ['nobody', never('is given', fields('text', 'x')), 'read'],
    ['the client that creates the record', onlyWhenCreating('is fixed', fields('text', 'x')), 'create'],
    ['nobody, as it follows from another', withheld('follows', fields('code', 'x')), 'read'],
    ['only at creation, by choice', withheldAfterCreation('is fixed', fields('code', 'x')), 'create'],
    ['any client of a sandbox', laterInSandboxesOnly('is taken once', fields('date', 'x')), 'write'],
    ['the lines', throughLines('x'), 'lines'],
    [
      'nobody, as the parent has it',
      placed('code', 'x', { creating: { kind: 'parent' }, why: 'is its' }),
      'read',
    ],
  ])('%s', (_, given, access) => {
    expect(described(given).accessTo('x')).toBe(access);
  });

  it('is known of described fields only', () => {
    expect(() => described().accessTo('x')).toThrow(new TypeError('jobs has no field x'));
    expect(described().isReadOnly('x')).toBe(false);
    expect(described(never('is given', fields('id', 'x'))).isReadOnly('x')).toBe(true);
    expect(described(withheld('follows', fields('id', 'x'))).isReadOnly('x')).toBe(false);
  });
});

describe('why a field of an existing record is not changed', () => {
  it.each<[string, NativeFields, boolean, string | undefined]>([
    ['any client may', fields('text', 'x'), true, undefined],
    ['the lines may', throughLines('x'), true, undefined],
    ['nobody may', never('is given', fields('text', 'x')), false, 'is given'],
    ['only the creation may', onlyWhenCreating('is fixed', fields('text', 'x')), false, 'is fixed'],
    ['the service does not', withheld('follows', fields('code', 'x')), false, 'follows'],
    ['a sandbox may', laterInSandboxesOnly('is taken once', fields('date', 'x')), false, undefined],
    [
      'any client may, but not create it',
      placed('text', 'x', { changing: { kind: 'member', name: 'x' }, why: 'is taken later' }),
      true,
      undefined,
    ],
    [
      'a live platform may not',
      laterInSandboxesOnly('is taken once', fields('date', 'x')),
      true,
      'is taken once',
    ],
  ])('if %s', (_, given, isLive, why) => {
    expect(described(given).whyNotChanged('x', isLive)).toBe(why);
    expect(described(given).whyNotChanged('y', isLive)).toBeUndefined();
  });
});

describe('why a field of a new record is not set', () => {
  const changedOnly = { changing: { kind: 'member', name: 'x' } } as const;
  it.each<[string, NativeFields, string | undefined]>([
    ['any client may', fields('text', 'x'), undefined],
    ['the lines may', throughLines('x'), undefined],
    ['the creation may', onlyWhenCreating('is fixed', fields('text', 'x')), undefined],
    ['the creation alone may, by choice', withheldAfterCreation('is fixed', fields('text', 'x')), undefined],
    ['nobody may', never('is given', fields('text', 'x')), 'is given'],
    ['the service does not', withheld('follows', fields('code', 'x')), 'follows'],
    ['the parent has it', placed('code', 'x', { creating: { kind: 'parent' }, why: 'is its' }), 'is its'],
    ['it is changed only', placed('code', 'x', changedOnly), 'is not written'],
  ])('if %s', (_, given, why) => {
    expect(described(given).whyNotCreated('x')).toBe(why);
    expect(described(given).whyNotCreated('y')).toBeUndefined();
    expect(described(given).isReadOnly('x')).toBe(why === 'is given');
  });
});

describe('a resource', () => {
  const scope = { kind: 'scope', name: 'job_id', of: 'project' } as const;
  const vendor = { kind: 'member', name: 'vendor_id' } as const;
  const label = { kind: 'member', name: 'name' } as const;
  const bills = () =>
    new NativeResource({
      name: 'bills',
      lines: 'rows',
      annotations: { prefix: '@', names: ['@tag'] },
      requiredToCreate: ['title'],
      fields: [
        fields('text', 'title'),
        throughLines('total'),
        onlyWhenCreating('is fixed', fields('date', 'day')),
        [...never('is given', fields('id', 'id')), ...fields('id', 'owner.id')],
        placed('id', 'vendor.id', { creating: vendor, changing: vendor }),
        placed('text', 'label', { creating: label, changing: label }),
        placed('id', 'job.id', { creating: scope, why: 'is fixed' }),
        placed('id', 'own.id', { creating: { kind: 'parent' }, why: 'is its' }),
        never('is shown', placed('id', 'maker.id', {})),
      ],
    });

  it('knows its total, its parents, what stays as it is, and the names for writing', () => {
    const resource = bills();
    expect(resource.total).toBe('total');
    expect(resource.scope).toEqual([scope]);
    expect(resource.fixedPaths.map((path) => path.join('.'))).toEqual([
      '@tag',
      'day',
      'id',
      'job.id',
      'own.id',
      'maker.id',
      'rows',
    ]);
    expect(resource.writeNames).toEqual({ vendor_id: 'vendor.id', job_id: 'job.id' });
    const { total, scope: parents, fixedPaths, path } = described(fields('text', 'x'));
    expect([total, parents, fixedPaths, path]).toEqual([undefined, [], [], 'jobs']);
  });

  it('takes further fields, which replace those of the same name', () => {
    const resource = bills();
    const more = resource.withFields([
      ...fields('code', 'note'),
      ...never('is given', fields('text', 'title')),
    ]);
    expect([...more.fields.keys()]).toEqual(
      [...resource.fields.keys()].filter((name) => name !== 'title').concat('note', 'title'),
    );
    expect([more.name, more.accessTo('title'), more.accessTo('note')]).toEqual(['bills', 'read', 'write']);
  });
});

describe('the description of a field', () => {
  it('has its path, and where it is written', () => {
    const place = { kind: 'member', name: 'a.b' } as const;
    const field = { name: 'a.b', path: ['a', 'b'], kind: 'text', echo: 'always' } as const;
    expect(fields('text', 'a.b')).toStrictEqual([{ ...field, creating: place, changing: place }]);
    expect(placed('text', 'a.b', { changing: place })).toStrictEqual([{ ...field, changing: place }]);
    expect(placed('text', 'a.b', { creating: place, why: 'is so' })).toStrictEqual([
      { ...field, creating: place, why: 'is so' },
    ]);
    expect(withheldAfterCreation('is so', placed('text', 'a.b', {}))).toStrictEqual([
      { ...field, withheld: 'changing', why: 'is so' },
    ]);
    expect(withheld('is so', placed('text', 'a.b', {}))).toStrictEqual([
      { ...field, withheld: 'always', why: 'is so' },
    ]);
  });
});

describe('a record', () => {
  it('shows what it was created under, and the lines of its total', () => {
    const scope = { kind: 'scope', name: 'job_id', of: 'project' } as const;
    const resource = new NativeResource({
      name: 'bills',
      lines: 'rows',
      computedInLines: ['sum'],
      annotations: { prefix: '@', names: [] },
      requiredToCreate: [],
      fields: [placed('id', 'job.id', { creating: scope, why: 'is fixed' })],
    });
    expect(resource.parentsIn({ job: { id: 7 }, rows: [] })).toEqual({ project: '7' });
    expect(resource.parentsIn({ job: { id: 'J1' } })).toEqual({ project: 'J1' });
    expect(resource.parentsIn({ job: { id: { id: 7 } } })).toEqual({});
    expect(resource.parentsIn({ job: null })).toEqual({});
    const others = [fields('text', 'x'), never('is given', fields('id', 'id'))];
    expect(described(...others).parentsIn({ x: 'J1', id: 7 })).toEqual({});
    expect(resource.linesIn({ rows: [{}, {}] })).toEqual([{}, {}]);
    expect(resource.linesIn({})).toEqual([]);
    expect(described().linesIn({ rows: [{}] })).toEqual([]);
    expect(['sum', '@tag', 'price'].map((member) => resource.isComputedInLine(member))).toEqual([
      true,
      true,
      false,
    ]);
    expect(described().isComputedInLine('sum')).toBe(false);
  });
});

describe('a description that makes no sense is refused when it is made', () => {
  it('with a field twice', () => {
    expect(() => described(fields('text', 'x'), fields('code', 'x'))).toThrow(/describes a field twice/);
  });

  it('with a field that is not written and has no reason', () => {
    expect(() => described(placed('text', 'x', {}))).toThrow('jobs.x is never written, and does not say why');
  });

  it('with a field that is required and not described', () => {
    const description = { name: 'jobs', requiredToCreate: ['x'], fields: [] };
    expect(() => new NativeResource(description)).toThrow('jobs has no field x');
  });

  it('with a mapping to a field that it does not have', () => {
    const nothing = {
      ...Object.fromEntries(Object.keys(project).map((field) => [field, absent])),
      name: at('title', text),
    } as Parameters<typeof Mapping.define<typeof project>>[2];
    const id = { path: 'id', schema: text.schema, decode: () => null, encode: (value: string) => value };
    const jobs = described(never('is given', fields('id', 'id')));
    expect(() => Mapping.define<typeof project>('project', jobs, nothing, { id })).toThrow(
      new TypeError('jobs has no field title'),
    );
  });
});

describe.each(allMappings)('the resource of $name', ({ mapping }) => {
  it('says why a field is not written, in a clause', () => {
    for (const { why, changing, withheld: kept } of mapping.resource.fields.values()) {
      if (changing !== undefined && kept === undefined && changing.kind !== 'sandbox') continue;
      expect(why).toMatch(/^[a-z].*[^.]$/);
    }
  });

  it('holds what the mapping reads there', () => {
    const kinds = { date: 'date', 'date-time': 'time', uuid: 'guid', int64: 'id' } as const;
    for (const { places, members } of mapping.describe()) {
      if (members !== undefined) continue;
      for (const { path, schema } of places) {
        const kind = mapping.resource.fields.get(path)?.kind;
        if (schema.format !== undefined) expect([path, kind]).toEqual([path, kinds[schema.format]]);
        if (schema.noun === decimal.schema.noun) expect([path, kind]).toEqual([path, 'decimal']);
      }
    }
  });
});
