import { changeCalmly } from './calm';
import type { Round } from './commands';
import { ModelCustomer, type Service } from './customer';
import { expectSame, perform } from './performing';
import {
  expectCases,
  expectComparisons,
  expectEffects,
  expectPastObjects,
  expectPastStatements,
  expectStatement,
  lookAround,
  lookCloser,
  Seen,
} from './standing';
import { expectHistory } from './telling';
import { platforms, type Platform } from '../portfolio';

/** A new customer lives through rounds of commands. Everything is in order after each of them, and at the end. */
export async function liveThrough(service: Service, all: readonly Round[]): Promise<void> {
  const customer = await ModelCustomer.open(service);
  const seen = new Seen();
  await lookAround(customer);
  for (const round of all) await live(customer, seen, round);
  for (const one of customer.keyed) {
    const again = await one.send(0);
    if (one.answer !== undefined) expectSame(again, one.answer);
  }
  await expectEffects(customer);
  await expectPastStatements(customer, seen);
  await expectPastObjects(customer, seen);
  for (const [id] of [...customer.versions].filter(([, known]) => known.length > 1).slice(-6)) {
    const { status } = await customer.client(0).get(`/objects/${id}`);
    if (status === 200) await expectHistory(customer, id);
  }
  await expectComparisons(customer);
}

const recordsOn = (customer: ModelCustomer, platform: Platform): readonly string[] =>
  customer.shown
    .filter((one) => one.platform === platform && one.entity_type === 'payment')
    .map(({ id }) => id);

/** What happens to a customer in one round, and whether everything is in order behind it. */
async function live(customer: ModelCustomer, seen: Seen, { edits, commands, calm }: Round): Promise<void> {
  for (const edit of edits) customer.feeds[edit.platform].edit(edit);
  customer.pages.splice(0);
  customer.wins.clear();
  const keyed = customer.keyed.length;
  const before = new Map(customer.shown.map(({ canonical_id: id, version }) => [id, version]));
  const there = new Map(platforms.map((platform) => [platform, recordsOn(customer, platform)]));

  await Promise.all(commands.map((command) => perform(customer, command)));

  await lookAround(customer);
  for (const { platform, ids } of customer.pages) {
    const still = new Set(recordsOn(customer, platform));
    const standing = there.get(platform)?.filter((id) => still.has(id)) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(standing.filter((id) => !ids.includes(id))).toEqual([]);
  }
  // A reading may bring back what was before, and with it its version.
  if (!commands.some((one) => one.do === 'read' || one.do === 'connect')) {
    for (const won of customer.wins.values()) expect(won.length).toBeLessThanOrEqual(1);
  }
  for (const one of customer.keyed.slice(keyed)) {
    const again = await one.send(1);
    if (again.headers.get('Idempotent-Replayed') === 'true') customer.service.met.add('replayed');
    one.answer ??= again.status === 400 ? undefined : again;
    if (one.answer !== undefined) expectSame(again, one.answer);
  }
  await expectEffects(customer);
  await expectStatement(customer, seen);
  await expectCases(customer, seen);
  const other = customer.shown.filter(({ canonical_id: id, version }) => before.get(id) !== version);
  const some = [...other, ...customer.shown.slice(0, 3)].map(({ canonical_id: id }) => id);
  await lookCloser(customer, seen, new Set(some));

  const changed = await changeCalmly(customer, calm);
  await lookAround(customer);
  await expectEffects(customer);
  for (const id of new Set([changed, ...other.slice(0, 4).map((one) => one.canonical_id)])) {
    if (id !== undefined) await expectHistory(customer, id);
  }
}
