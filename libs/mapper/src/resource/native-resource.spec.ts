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
    expect(resource.parentsIn({ job: null })).toEqual({});
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
