import { ruleBehind, type GroupedRecord } from './evidence';

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

  it('is unknown without another record in the group', () => {
    expect(ruleBehind(onA, [])).toBeUndefined();
    expect(ruleBehind(onA, [grouped('platform_a')])).toBeUndefined();
    expect(
      ruleBehind(onA, [grouped('platform_a'), grouped('platform_b', { parent_key: 'p2' })]),
    ).toBeUndefined();
  });
});
