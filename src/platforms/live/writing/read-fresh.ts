import type { JsonObject } from '@app/mapper';
import type { WriteSteps } from './write-steps';

/** A record that was read until it was no longer late, or until the last pause was over. */
export type FreshReading =
  | { readonly status: 'shown' | 'late'; readonly record: JsonObject }
  /** The platform does not show the record, and that proves nothing. */
  | { readonly status: 'unseen' }
  | { readonly status: 'gone' };

/**
 * Reads a record that the platform may show late: again after growing pauses, while it is not seen or shows an older
 * state.
 *
 * @throws as `read` does; the signal's reason
 */
export async function readFresh(
  steps: Pick<WriteSteps, 'rereadPauses' | 'pause'>,
  read: () => Promise<JsonObject | 'unseen' | undefined>,
  isLate: (record: JsonObject) => boolean | Promise<boolean>,
): Promise<FreshReading> {
  for (let looks = 0; ; looks += 1) {
    const record = await read();
    if (record === undefined) return { status: 'gone' };
    if (record !== 'unseen' && !(await isLate(record))) return { status: 'shown', record };
    const ms = steps.rereadPauses[looks];
    if (ms === undefined) return record === 'unseen' ? { status: 'unseen' } : { status: 'late', record };
    await steps.pause(ms);
  }
}

/** Reads a record after a write. */
export function readBack(
  steps: WriteSteps,
  id: string,
  known: JsonObject | undefined,
): Promise<JsonObject | 'unseen' | undefined> {
  return steps.readBack ? steps.readBack(id, known) : steps.read(id, known);
}
