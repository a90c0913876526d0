import { isSame, ruleBehind, whyNot, type GroupedRecord, type KeyedRecord } from './evidence';

const grouped = (platform: GroupedRecord['platform'], rest: Partial<GroupedRecord> = {}): GroupedRecord => ({
  platform,
  platform_id: '1',
  business_key: 'k',
  parent: 'p1',
  parent_key: '',
  is_unique: true,
  ...rest,
});
const onA = { platform: 'platform_a', platform_id: '1' } as const;

describe('ruleBehind()', () => {
  it('is the key where it is unique on both platforms', () => {
    expect(ruleBehind(onA, [grouped('platform_a'), grouped('platform_b')])).toEqual({
      rule: 'unique_key',
      parents: [],
    });
  });

  it('is the parent where the key repeats on one of the platforms', () => {
    expect(ruleBehind(onA, [grouped('platform_a'), grouped('platform_b', { is_unique: false })])).toEqual({
      rule: 'key_in_parent',
      parents: ['p1'],
    });
  });

  it('is the parent where the rule separated the group of a key by parents, although the key is unique', () => {
    const records = (['platform_a', 'platform_b'] as const).map((platform) =>
      grouped(platform, { parent_key: 'p1' }),
    );
    expect(ruleBehind(onA, records)).toEqual({ rule: 'key_in_parent', parents: ['p1'] });
  });

  it('is the key where one of several others has it alone', () => {
    const others = [grouped('platform_b', { is_unique: false }), grouped('platform_b', { platform_id: '2' })];
    expect(ruleBehind(onA, [grouped('platform_a'), ...others])?.rule).toBe('unique_key');
  });

  it('names the parents of the records whose key repeats, each once, and those alone', () => {
    const own = grouped('platform_a', { parent: 'p0' });
    const others = ['p1', 'p1', null, 'p2'].map((parent, place) =>
      grouped('platform_b', { platform_id: String(place), parent, is_unique: false }),
    );
    expect(ruleBehind(onA, [own, ...others])).toEqual({ rule: 'key_in_parent', parents: ['p1', 'p2'] });
    const repeats = grouped('platform_a', { parent: 'p0', is_unique: false });
    expect(ruleBehind(onA, [repeats, grouped('platform_b')])).toEqual({
      rule: 'key_in_parent',
      parents: ['p0'],
    });
  });

  it('is unknown of a record that is in no group', () => {
    expect(
      ruleBehind(onA, [grouped('platform_b'), grouped('platform_a', { platform_id: '2' })]),
    ).toBeUndefined();
  });

  it('is unknown without another record in the group', () => {
    expect(ruleBehind(onA, [])).toBeUndefined();
    expect(ruleBehind(onA, [grouped('platform_a')])).toBeUndefined();
    expect(
      ruleBehind(onA, [grouped('platform_a'), grouped('platform_b', { parent_key: 'p2' })]),
    ).toBeUndefined();
  });
});

describe('isSame()', () => {
  it('asks for the platform and the ID', () => {
    expect(isSame(onA, { ...onA })).toBe(true);
    expect(isSame(onA, { ...onA, platform_id: '2' })).toBe(false);
    expect(isSame(onA, { ...onA, platform: 'platform_b' })).toBe(false);
  });
});

describe('whyNot()', () => {
  const candidate = (parent: string | null): KeyedRecord => ({
    ...onA,
    ...{ canonical_id: 'pay_1', business_key: 'k', number: 'K', parent },
  });

  it.each([
    ['a person ruled it out, whatever its parent', 'p1', ['p1'], true, 'ruled_out'],
    ['its parent is another one', 'p2', ['p1', null], false, 'other_parent'],
    ['it has one and no record of the link has', 'p2', [], false, 'other_parent'],
    ['it has none and one of the link has', null, ['p1', null], false, 'no_parent'],
    ['it has none and nobody has', null, [null], false, 'repeats'],
    ['its parent is that of the link', 'p1', ['p2', 'p1'], false, 'repeats'],
  ] as const)('%s', (_why, parent, parents, isRuledOut, expected) => {
    expect(whyNot(candidate(parent), parents, isRuledOut)).toBe(expected);
  });
});
