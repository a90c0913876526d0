import { noAges } from './ages';
import type { Tally, TallySide } from './tally';

/**
 * Tallies with the tallies of some objects subtracted and those of others added, without ages. For changed objects,
 * their tallies before the change are subtracted and the present ones added. Pure.
 */
export function replacedTallies(
  tallies: readonly Tally[],
  taken: readonly Tally[],
  added: readonly Tally[],
): readonly Tally[] {
  const sums = new Map<string, Tally>();
  const add = (some: readonly Tally[], sign: 1 | -1): void => {
    for (const tally of some) {
      const key = keyOf(tally);
      sums.set(key, sumOf(sums.get(key), tally, sign));
    }
  };
  add(tallies, 1);
  add(added, 1);
  add(taken, -1);
  return [...sums.values()].filter(({ objects }) => objects !== 0);
}

/** The properties that all objects of a tally share, as a key. */
function keyOf({ entityType, state, amounts, part, isAfter, isAccepted, left, right }: Tally): string {
  const sides = [left, right].flatMap(({ currency, converts }) => [currency, converts]);
  return JSON.stringify([entityType, state, amounts, part, isAfter, isAccepted, ...sides]);
}

function sumOf(sum: Tally | undefined, tally: Tally, sign: 1 | -1): Tally {
  const side = (name: 'left' | 'right'): TallySide => {
    const { currency, converts, records, own, converted } = tally[name];
    const known = sum?.[name];
    return {
      currency,
      converts,
      records: (known?.records ?? 0) + sign * records,
      own: (known?.own ?? 0n) + BigInt(sign) * own,
      converted: (known?.converted ?? 0n) + BigInt(sign) * converted,
    };
  };
  return {
    ...tally,
    left: side('left'),
    right: side('right'),
    objects: (sum?.objects ?? 0) + sign * tally.objects,
    unequal: (sum?.unequal ?? 0) + sign * tally.unequal,
    accepted: (sum?.accepted ?? 0) + sign * tally.accepted,
    ages: noAges(),
  };
}
