import { OwnFields, type OwnFieldDefinition } from '../canonical/own-fields';
import { isOwnFieldNameText, problemsOfDefinition, problemsOfPaths } from './own-field-problems';

function definition(changes: Partial<OwnFieldDefinition> = {}): OwnFieldDefinition {
  return {
    ...{ entityType: 'contract', name: 'region', codec: 'text' },
    platforms: { platform_b: { path: 'region', writable: true } },
    ...changes,
  };
}

describe('the name of an own field', () => {
  it('has lower case letters, digits and underscores, a letter in front, and forty of them at most', () => {
    const names = ['a', 'a_1', 'a'.repeat(40), 'a'.repeat(41), '1a', '_a', 'A', 'a b', 'a.b', ''];
    expect(names.filter(isOwnFieldNameText)).toEqual(['a', 'a_1', 'a'.repeat(40)]);
  });
});

describe('the problems of a definition', () => {
  const problems = (changes: Partial<OwnFieldDefinition>) => problemsOfDefinition(definition(changes));

  it('are none where there is nothing to say', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ label: 'Region 👍' })).toEqual([]);
    for (const codec of ['text', 'decimal', 'money', 'date', 'boolean'] as const)
      expect(problems({ codec })).toEqual([]);
    const longest = Array.from({ length: 100 }, (_, index) => String(index).padEnd(100, 'x'));
    expect(problems({ codec: { one_of: longest } })).toEqual([]);
  });

  it('name what there is to choose from', () => {
    // A definition may come from a file.
    const codec = JSON.parse('"integer"') as OwnFieldDefinition['codec'];
    expect(problems({ codec, platforms: { platform_z: { path: 'x', writable: true } } })).toEqual([
      {
        path: 'codec',
        problem: 'expected one of text, decimal, money, date, boolean, or { "one_of": [values] }',
      },
      { path: 'platforms', problem: 'expected some of platform_a, platform_b' },
    ]);
    expect(problems({ platforms: {} })).toEqual([
      { path: 'platforms', problem: 'expected at least one platform' },
    ]);
    expect(problems({ label: 'a\0' })).toEqual([
      { path: 'label', problem: 'must not contain a NUL character or half of a surrogate pair' },
    ]);
  });

  it('are those of its values', () => {
    const path = 'codec.one_of';
    expect(problems({ codec: { one_of: ['a', 'b', 'a'] } })).toEqual([
      { path, problem: 'each value at most once' },
    ]);
    const many = Array.from({ length: 101 }, (_, index) => String(index));
    for (const one_of of [[], many, ['a', ' '], ['a', 'a'.repeat(101)], ['a', 'b\0'], ['a', 'unknown']])
      expect(problems({ codec: { one_of } })).toEqual([
        { path, problem: 'expected 1 to 100 values of at most 100 characters, not "unknown"' },
      ]);
  });
});

describe('the problems of paths', () => {
  const others = new OwnFields([
    definition({ name: 'zone', platforms: { platform_b: { path: 'zone.inner', writable: true } } }),
    definition({ name: 'elsewhere', platforms: { platform_a: { path: 'area', writable: true } } }),
    definition({ name: 'region' }),
    definition({
      name: 'other',
      entityType: 'invoice',
      platforms: { platform_b: { path: 'area', writable: true } },
    }),
  ]);
  const problems = (path: string, platform = 'platform_b') =>
    problemsOfPaths(definition({ platforms: { [platform]: { path, writable: true } } }), others);
  const problem = (path: string, platform?: string) => problems(path, platform).map((one) => one.problem);

  it.each(['region', 'area', 'a.b.c.d.e.f.g.h', 'a'.repeat(200), 'zones', 'constructors', 'a b'])(
    'are none at %s, which is free',
    (path) => {
      expect(problems(path)).toEqual([]);
    },
  );

  it.each([
    ['a.b.c.d.e.f.g.h.i', 'expected at most 8 members and 200 characters'],
    ['a'.repeat(201), 'expected at most 8 members and 200 characters'],
    ['', 'expected names of members, joined by points'],
    ['a.', 'expected names of members, joined by points'],
    ['a. b', 'expected names of members, joined by points'],
    ['a\0', 'expected names of members, joined by points'],
    ['__proto__', '__proto__ cannot be a member'],
    ['a.prototype', 'prototype cannot be a member'],
    ['constructor.a', 'constructor cannot be a member'],
    ['zone', 'zone holds the own field zone'],
    ['zone.inner.most', 'zone.inner.most holds the own field zone'],
    ['id', 'id of platform_b holds the native ID'],
    ['status.inner', 'status of platform_b holds status'],
    ['currencyCode', 'currencyCode of platform_b holds currency'],
  ])('at %j: %s', (path, expected) => {
    expect(problems(path)).toEqual([{ path: 'platforms.platform_b.path', problem: expected }]);
  });

  it('are those of the platform that they are on, if there is one', () => {
    expect(problem('grand_total', 'platform_a')).toEqual(['grand_total of platform_a holds amount']);
    expect(problem('area', 'platform_a')).toEqual(['area holds the own field elsewhere']);
    expect(problem('__proto__', 'platform_z')).toEqual([]);
  });
});
