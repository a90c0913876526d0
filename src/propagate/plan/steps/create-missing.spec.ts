import { creationLevels, storedEntityTypes } from '@app/mapper';
import { whyNotCreated } from './create-missing';

describe('a record that a platform lacks', () => {
  const created = (
    entityType: (typeof storedEntityTypes)[number],
    requested: boolean | undefined,
    level: (typeof creationLevels)[number] | undefined,
  ): boolean => {
    const why = whyNotCreated('platform_b', { entityType, requested, level });
    if (why !== undefined) expect(why).toContain('create_missing');
    return why === undefined;
  };

  it.each(['contract', 'invoice', 'payment'] as const)('that is a %s is created on request', (type) => {
    expect([undefined, false, true].map((requested) => created(type, requested, undefined))).toEqual([
      false,
      false,
      true,
    ]);
    expect(created(type, undefined, 'ask')).toBe(false);
    expect(created(type, undefined, 'always')).toBe(true);
  });

  it.each(['project', 'customer'] as const)('that is a %s is created unless the request says no', (type) => {
    for (const level of [undefined, 'ask', 'always'] as const) {
      expect([undefined, false, true].map((requested) => created(type, requested, level))).toEqual([
        true,
        false,
        true,
      ]);
    }
  });

  it('is created for no request where the rule is never', () => {
    for (const type of storedEntityTypes)
      for (const requested of [undefined, false, true]) expect(created(type, requested, 'never')).toBe(false);
  });
});
