import { platformNames, type PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import { mergeObjects } from './merge-objects';
import type { MatchingRound } from './matching-round';
import {
  forgetMerges,
  hasKeys,
  linkPairs,
  mergeLinked,
  placeLinked,
  stageLinks,
  type LinkRule,
} from './staged-matches.repository';

/**
 * Makes one the objects whose records decisions link, and then finds those that become one by the rule: whose records are
 * of one group, and that no decision keeps apart. Pairs of platforms come in the order of precedence, whichever platform
 * is read, and an object grows from pair to pair. Existing links are kept, so two objects stay apart when both have a
 * record of one platform.
 *
 * What becomes of stored objects is in `staged_merges`. A record that is about to be stored counts as an object named by `+`
 * and its native ID, and is placed.
 *
 * @returns how many links were made
 */
export async function linkGroups(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  const { entityType, platform, standing } = round;
  const others = platformNames.filter((name) => name !== platform);
  const elsewhere = await Promise.all(others.map((other) => hasKeys(tx, entityType, other)));
  const decided = standing?.links === true ? await linkDecided(tx, round) : 0;
  if (!elsewhere.includes(true)) return decided;
  const [first, second, ...more] = platformNames;
  if (standing === undefined && first !== undefined && second !== undefined && more.length === 0)
    return linkPairs(tx, round, [first, second]);
  return decided + (await linkRows(tx, round, standing === undefined ? 'keys' : 'keys behind decisions'));
}

/** Records that are one by decision, and are not in one object: where one of them was read anew. */
async function linkDecided(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  const linked = await linkRows(tx, round, 'decisions');
  if (linked === 0) return 0;
  await mergeObjects(tx, round);
  await forgetMerges(tx, round);
  return linked;
}

async function linkRows(tx: CustomerTransaction, round: MatchingRound, rule: LinkRule): Promise<number> {
  if ((await stageLinks(tx, round, rule)) === 0) return 0;
  let linked = 0;
  for (const [place, pair] of pairsOf(platformNames).entries())
    linked += await mergeLinked(tx, round, pair, place);
  await placeLinked(tx, round);
  return linked;
}

/** All pairs of platforms, in order of precedence. */
export function pairsOf(
  platforms: readonly PlatformName[],
): readonly (readonly [PlatformName, PlatformName])[] {
  return platforms.flatMap((left, place) =>
    platforms.slice(place + 1).map((right): readonly [PlatformName, PlatformName] => [left, right]),
  );
}
