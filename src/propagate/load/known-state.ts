import { commonMembers, withPrefixedFields, type JsonObject } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { readMoments } from '../../records/history/moments.repository';
import { statesAt } from '../../records/history/states.repository';

/** The number of past states of the object that are read in one batch. */
const BATCH = 12;

/** Maximum bytes of stored records that are read in one batch. */
const BATCH_BYTES = 1024 * 1024;

/** Maximum number of full batches. A caller with an older version must read the object again. */
const MOST_BATCHES = 8;

/** A time after every change. */
const END = '9999-12-31T00:00:00.000000Z';

/**
 * The canonical fields of the latest past state of an object that has one of the given versions; undefined if none of
 * its latest {@link MOST_BATCHES} × {@link BATCH} states has.
 */
export async function knownState(
  tx: CustomerTransaction,
  canonicalId: string,
  versions: readonly string[],
): Promise<JsonObject | undefined> {
  let before = END;
  for (let looked = 0; looked < MOST_BATCHES * BATCH;) {
    const rows = await readMoments(tx, canonicalId, { before, limit: BATCH, since: undefined });
    const requested = rows.flatMap(({ at }) => (at === null ? [] : [at]));
    const { states, times } = await statesAt(tx, [canonicalId], requested, BATCH_BYTES);
    const last = times.at(-1);
    if (last === undefined) return undefined;
    for (const time of times) {
      const state = states.get(time)?.get(canonicalId);
      if (state === undefined || !versions.includes(state.version())) continue;
      return Object.fromEntries(
        Object.entries(withPrefixedFields(state.object)).filter(([name]) => !commonMembers.has(name)),
      );
    }
    before = last;
    looked += times.length;
  }
  return undefined;
}
