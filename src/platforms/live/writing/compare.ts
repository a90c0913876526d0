import type { JsonObject, NativeChange } from '@app/mapper';
import type { Comparison, WriteSteps } from './write-steps';

/**
 * Compares changes with a record.
 *
 * @param before the record that the changes were planned for; undefined if it is not known. Then nothing clashes
 * @throws as `notShown` does
 */
export async function compare(
  steps: WriteSteps,
  changes: readonly NativeChange[],
  record: JsonObject,
  before: JsonObject | undefined,
): Promise<Comparison> {
  const open = await steps.notShown(changes, record);
  return {
    open,
    clashes: before === undefined ? [] : steps.clashes(open, record, before),
    hidden: steps.hidden?.(changes, record) ?? [],
  };
}
