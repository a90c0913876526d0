import type { PlatformName } from '@app/mapper';
import { fc } from '../../../../libs/mapper/src/testing/property';
import { arrange, type Member, type ObjectRecords } from './arrange';
import { LinkConstraints, nameOf, type LinkConstraint, type RecordName } from '../../rule/link-constraints';
import { splitObjects, reassign } from './reassignment';

// The order of precedence is that of the list; the third platform is nobody's.
const platforms = ['platform_a', 'platform_b', 'platform_c'] as PlatformName[];
const [a, b, c] = platforms as [PlatformName, PlatformName, PlatformName];
const none = new LinkConstraints([]);

const member = (
  platform: PlatformName,
  platformId: string,
  object: string,
  group: string | null,
): Member => ({
  platform,
  platformId,
  object,
  before: group,
  after: group,
  created: false,
});
const constraint = (
  decision: LinkConstraint['decision'],
  one: RecordName,
  other: RecordName,
  id = 'd',
): LinkConstraint => ({
  id,
  decision,
  records: [one, other],
});
const shown = (groups: readonly ObjectRecords[]) => groups.map((group) => group.map(nameOf).sort()).sort();

describe('records arranged anew', () => {
  const [a1, b1, c1] = [member(a, '1', 'x', 'k'), member(b, '1', 'x', 'k'), member(c, '1', 'x', 'k')];

  it('stay as they are where nothing has changed', () => {
    expect(shown(arrange([a1, b1, c1], none, none, platforms))).toEqual([
      ['platform_a 1', 'platform_b 1', 'platform_c 1'],
    ]);
  });

  it('stay linked if something else than the rule or a decision had linked them', () => {
    const members = [member(a, '1', 'x', 'k'), member(b, '1', 'x', 'm'), member(c, '1', 'x', null)];
    expect(arrange(members, none, none, platforms)).toHaveLength(1);
    // A key that two others share says nothing about the third, and having no key is nothing in common.
    const shares = [member(a, '1', 'x', 'm'), b1, c1];
    expect(arrange(shares, none, none, platforms)).toHaveLength(1);
    const without = [member(a, '1', 'x', null), member(b, '1', 'x', null)];
    expect(arrange(without, none, none, platforms)).toHaveLength(1);
  });

  it('split a pair that is ruled out, whatever had linked it', () => {
    const linked = [member(a, '1', 'x', 'k'), member(b, '1', 'x', 'm')] as const;
    const after = new LinkConstraints([constraint('not_same', ...linked)]);
    expect(arrange(linked, none, after, platforms)).toHaveLength(2);
  });

  it('split a pair that is ruled out, and keep the third with the platform that has precedence', () => {
    const after = new LinkConstraints([constraint('not_same', a1, b1)]);
    expect(shown(arrange([a1, b1, c1], none, after, platforms))).toEqual([
      ['platform_a 1', 'platform_c 1'],
      ['platform_b 1'],
    ]);
  });

  it('keep a place for a missing record that a decision links', () => {
    const gone = { platform: b, platformId: '9' };
    const apart = [member(a, '1', 'x', 'k'), member(b, '1', 'y', 'k')];
    const after = new LinkConstraints([constraint('link', a1, gone)]);
    expect(arrange(apart, after, after, platforms)).toHaveLength(2);
    expect(arrange(apart, after, none, platforms)).toHaveLength(1);
  });

  it('split what only a decision had linked, and what the rule links no more', () => {
    const linked = [member(a, '1', 'x', 'k'), member(b, '1', 'x', 'm')];
    const before = new LinkConstraints([constraint('link', linked[0] ?? a1, linked[1] ?? b1)]);
    expect(arrange(linked, before, none, platforms)).toHaveLength(2);
    const moved = [a1, { ...b1, after: 'k2' }];
    expect(arrange(moved, none, none, platforms)).toHaveLength(2);
    // One that we created there is the same thing, whatever its parents are.
    expect(arrange([a1, { ...b1, after: 'k2', created: true }], none, none, platforms)).toHaveLength(1);
    // It holds others to the object too.
    const held = [a1, { ...b1, created: true }, { ...c1, after: 'k2' }];
    expect(arrange(held, none, none, platforms)).toHaveLength(1);
  });
});

describe('objects of records that were arranged anew', () => {
  it('stay with the record that had the ID first; others go into the one of precedence', () => {
    const x = [member(a, '1', 'x', null), member(b, '1', 'x', null)] as const;
    const y = member(c, '1', 'y', null);
    const groups = [[x[0]], [x[1], y]];
    expect(splitObjects(groups)).toEqual(['x']);
    expect(reassign(groups, new Map([['x', x[1]]]))).toEqual({
      merges: [{ goes: 'y', stays: 'x' }],
      moves: [{ records: [x[0]], to: undefined }],
    });
    expect(reassign(groups, new Map([['x', x[0]]]))).toEqual({
      merges: [],
      moves: [{ records: [x[1]], to: 'y' }],
    });
  });
});

describe('any sequence of decisions about records of three platforms', () => {
  interface Drawn {
    readonly groups: readonly (readonly boolean[])[];
    readonly steps: readonly { readonly link: boolean; readonly one: number; readonly other: number }[];
  }
  const drawn: fc.Arbitrary<Drawn> = fc.record({
    groups: fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 4 }),
    steps: fc.array(fc.record({ link: fc.boolean(), one: fc.nat(20), other: fc.nat(20) }), { maxLength: 8 }),
  });

  it('gives the same result as matching all records with the decisions in force', () => {
    let accepted = 0;
    fc.assert(
      fc.property(drawn, ({ groups, steps }) => {
        const fresh = groups.flatMap((present, group) =>
          platforms.flatMap((platform, place) =>
            present[place] === true
              ? [member(platform, String(group), `${platform} ${group}`, String(group))]
              : [],
          ),
        );
        let members: readonly Member[] = reassigned(arrange(fresh, none, none, platforms));
        let constraints: readonly LinkConstraint[] = [];
        for (const { link, one, other } of steps) {
          const [first, second] = [members[one % members.length], members[other % members.length]];
          if (first === undefined || second === undefined || first.platform === second.platform) continue;
          const held = constraints.filter(({ records }) =>
            [first, second].every((record) => records.map(nameOf).includes(nameOf(record))),
          );
          const before = new LinkConstraints(constraints);
          const next =
            held.length > 0
              ? constraints.filter((standing) => !held.includes(standing))
              : [
                  ...constraints,
                  constraint(link ? 'link' : 'not_same', first, second, String(constraints.length)),
                ];
          if (held.length === 0 && !mayStand(members, before, first, second, link)) continue;
          accepted += 1;
          constraints = next;
          members = reassigned(arrange(members, before, new LinkConstraints(constraints), platforms));
          expect(objectsOf(members)).toEqual(
            objectsOf(reassigned(arrange(fresh, none, new LinkConstraints(constraints), platforms))),
          );
        }
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  function reassigned(groups: readonly ObjectRecords[]): readonly Member[] {
    return groups.flatMap((group, place) => group.map((one) => ({ ...one, object: String(place) })));
  }

  function objectsOf(members: readonly Member[]): readonly (readonly string[])[] {
    const objects = new Map<string, string[]>();
    for (const one of members)
      objects.set(one.object, [...(objects.get(one.object) ?? []), nameOf(one)].sort());
    return [...objects.values()].sort((one, other) => (String(one) < String(other) ? -1 : 1));
  }

  function mayStand(
    members: readonly Member[],
    constraints: LinkConstraints,
    first: Member,
    second: Member,
    link: boolean,
  ): boolean {
    if (!link) return constraints.clusterOf(first) !== constraints.clusterOf(second);
    if (first.object === second.object) return constraints.cannotLinkBetween(first, second) === undefined;
    const [left, right] = [first, second].map(({ object }) =>
      members.filter((one) => one.object === object).flatMap((one) => constraints.clusterOf(one).records),
    );
    return (left ?? []).every((one) =>
      (right ?? []).every(
        (two) => one.platform !== two.platform && constraints.cannotLinkBetween(one, two) === undefined,
      ),
    );
  }
});
