import { changeAlone } from './change-alone';
import type { Round } from './commands';
import { ModelCustomer, type Service } from './customer';
import { repeat } from './keyed-requests';
import { FeedState } from './events';
import { expectOwnFields } from './own-fields';
import { perform } from './perform-command';
import { changedTypes } from './platform-feed';
import { expectSignoffs } from './sign-offs';
import {
  acceptDeletions,
  expectCases,
  expectComparisons,
  expectEffects,
  expectPastObjects,
  expectPastStatements,
  expectStatement,
  listObjects,
  readObjects,
  ObservedStates,
} from './observed-states';
import { expectHistory } from './expect-history';
import { platforms, type Platform } from '../customers/portfolio';

/** The most changed objects that are read individually after a round, and the most whose history is read. */
const MOST = { read: 6, told: 1 };

/**
 * Runs rounds of commands for a new customer, and checks the whole state after each round and at the end.
 *
 * @returns how many commands found something to work on
 */
export async function liveThrough(service: Service, all: readonly Round[]): Promise<number> {
  const customer = await ModelCustomer.open(service);
  const seen = new ObservedStates();
  const told = new FeedState();
  await listObjects(customer);
  for (const round of all) await live(customer, { seen, told }, round);
  for (const one of customer.keyed) await repeat(customer, one, 0);
  await listObjects(customer);
  await expectEffects(customer);
  await expectPastStatements(customer, seen);
  await expectPastObjects(customer, seen);
  for (const [id] of [...customer.versions].filter(([, known]) => known.length > 1).slice(-6)) {
    const { status } = await customer.client(0).get(`/objects/${id}`);
    if (status === 200) await expectHistory(customer, id);
  }
  await Promise.all(customer.readers.map((reader, place) => reader.read(customer.client(place))));
  told.expectReaders(customer);
  await expectComparisons(customer);
  return all.reduce((sum, { programs }) => sum + programs.flat().length, 0) - customer.idle;
}

const recordsOn = (customer: ModelCustomer, platform: Platform): readonly string[] =>
  customer.shown
    .filter((one) => one.platform === platform && one.entity_type === 'payment')
    .map(({ id }) => id);

interface Known {
  readonly seen: ObservedStates;
  readonly told: FeedState;
}

/** Runs one round, and checks the state afterwards. */
async function live(
  customer: ModelCustomer,
  { seen, told }: Known,
  { edits, programs, calm }: Round,
): Promise<void> {
  for (const edit of edits) customer.feeds[edit.platform].edit(edit);
  customer.pages.splice(0);
  customer.wins.clear();
  const keyed = customer.keyed.length;
  const before = new Map(customer.shown.map(({ canonical_id: id, version }) => [id, version]));
  const there = new Map(platforms.map((platform) => [platform, recordsOn(customer, platform)]));

  await Promise.all(
    programs.map(async (program) => {
      for (const command of program) await perform(customer, command);
    }),
  );
  for (const one of customer.keyed.slice(keyed)) await repeat(customer, one, 1);
  await acceptDeletions(customer);

  await listObjects(customer, changedTypes);
  for (const { platform, ids } of customer.pages) {
    const still = new Set(recordsOn(customer, platform));
    const standing = there.get(platform)?.filter((id) => still.has(id)) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(standing.filter((id) => !ids.includes(id))).toEqual([]);
  }
  // A run may restore an earlier state and, with it, its version.
  if (!programs.flat().some((one) => one.do === 'read' || one.do === 'connect')) {
    for (const won of customer.wins.values()) expect(won.length).toBeLessThanOrEqual(1);
  }
  await expectEffects(customer);
  await expectOwnFields(customer);
  await expectStatement(customer, seen);
  const cases = await expectCases(customer, seen);
  await told.expectAll(customer, cases, await expectSignoffs(customer));
  const other = customer.shown.filter(({ canonical_id: id, version }) => before.get(id) !== version);
  const some = [...other.slice(0, MOST.read), ...customer.shown.slice(0, 2)].map(
    ({ canonical_id: id }) => id,
  );
  await readObjects(customer, seen, new Set(some));

  const changed = await changeAlone(customer, calm);
  await listObjects(customer, changedTypes);
  await expectEffects(customer);
  for (const id of new Set([changed, ...other.slice(0, MOST.told).map((one) => one.canonical_id)])) {
    if (id !== undefined) await expectHistory(customer, id);
  }
}
