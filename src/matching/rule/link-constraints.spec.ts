import type { PlatformName } from '@app/mapper';
import { LinkConstraints, type DecisionKind, type LinkConstraint, type RecordName } from './link-constraints';

/** A record by the letter of its platform and a number, such as `a1`. */
const record = (name: string): RecordName => ({
  platform: `platform_${name.slice(0, 1)}` as PlatformName,
  platformId: name.slice(1),
});
const constraint = (decision: DecisionKind, one: string, other: string): LinkConstraint => ({
  id: `${one} ${other}`,
  decision,
  records: [record(one), record(other)],
});
const link = (one: string, other: string) => constraint('link', one, other);
const apart = (one: string, other: string) => constraint('not_same', one, other);

describe('constraints contradict at a record', () => {
  it.each([
    ['none', [], 'a1', false],
    ['a link', [link('a1', 'b1')], 'a1', false],
    ['a pair that stays apart', [apart('a1', 'b1')], 'a1', false],
    ['three of three platforms', [link('a1', 'b1'), link('b1', 'c1')], 'c1', false],
    ['links of others', [link('a2', 'c1'), link('b1', 'c1'), link('a1', 'b1')], 'a3', false],
    ['two of one platform', [link('a1', 'b1'), link('b1', 'c1'), link('a2', 'c1')], 'a1', true],
    ['one pair both ways', [link('a1', 'b1'), apart('a1', 'b1')], 'b1', true],
    ['a pair apart that others link', [apart('a1', 'b1'), link('a1', 'c1'), link('b1', 'c1')], 'c1', true],
  ])('with %s', (_what, constraints, name, expected) => {
    const [first, ...further] = constraints;
    const held = new LinkConstraints(first === undefined ? [] : [first]).with(further);
    expect(held.contradictAt(record(name))).toBe(expected);
  });
});
