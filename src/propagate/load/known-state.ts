import type { JsonObject } from '@app/mapper';
import type { Store } from '../../database/store';
import { momentsBefore, type MomentRow } from '../../history/moments';
import { statesAt } from '../../history/states';

/** Times whose states are read in one go. */
const STEP = 12;

/** Steps back. Who knows an older version than this reads again without a comparison. */
const MOST_STEPS = 8;

/** Later than every change. */
const END = '9999-12-31T00:00:00.000000Z';

// What an object says of itself, beside its fields.
const aboutItself: ReadonlySet<string> = new Set(['id', 'object', 'external_ids', 'provider_metadata']);

/**
 * The canonical fields of an object in a version that it had; undefined when none of its latest states has one of the
 * versions.
 */
export async function knownState(
  store: Store,
  customerId: string,
  canonicalId: string,
  versions: readonly string[],
): Promise<JsonObject | undefined> {
  let before = END;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const rows = await store.query<MomentRow>(momentsBefore, [customerId, canonicalId, before, STEP, 0]);
    const times = rows.flatMap(({ at }) => (at === null ? [] : [at]));
    const last = times.at(-1);
    if (last === undefined) return undefined;
    const states = await statesAt(store, customerId, [canonicalId], times);
    for (const time of times) {
      const state = states.get(time)?.get(canonicalId);
      if (state === undefined || !versions.includes(state.version())) continue;
      return Object.fromEntries(Object.entries(state.object).filter(([name]) => !aboutItself.has(name)));
    }
    before = last;
  }
  return undefined;
}
