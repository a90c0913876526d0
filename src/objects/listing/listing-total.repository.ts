import type { Read } from './listing-page.repository';
import { conditionsOf, keysIn, relationsOf } from './listing-keys';
import type { Selection } from './selection';
import type { ParameterOf } from './selection-conditions';

/** The total number of elements of a listing. */
export interface ListingTotal {
  /** The number of its records or objects, {@link COUNTED} at most. */
  readonly total: number;
  /** Whether `total` is exact; false if there are more elements. */
  readonly isExact: boolean;
}

/** The most records that are counted. */
export const COUNTED = 10_000;

/** Counts the elements of a selection that has no examined condition. An index leads to the counted rows. */
export async function countListing(read: Read, selection: Selection): Promise<ListingTotal> {
  const values: [name: string, value: unknown][] = [
    ['customer', selection.customerId],
    ...(selection.platform === undefined ? [] : [['platform', selection.platform] as [string, unknown]]),
    ['type', selection.entityType],
    ...conditionsOf(selection).flatMap(({ condition }) =>
      Object.entries(condition.valuesOf(selection) ?? {}),
    ),
  ];
  const parameter: ParameterOf = (name) => `$${values.findIndex(([known]) => known === name) + 1}`;
  const conditions = conditionsOf(selection).map(({ condition }) => {
    const own = `and ${condition.sql(parameter, false)}`;
    if (condition.by !== 'found') return own;
    const led = `and k.canonical_id in (${condition.leadsTo(parameter, selection.entityType)})`;
    return condition.isRough === true ? `${led} ${own}` : led;
  });
  const [row] = await read<{ total: number }>(
    `with ${relationsOf(selection, parameter)} found as (${keysIn(selection, parameter, conditions.join(' '))})
     select count(*)::int as total from (select 1 from found limit ${COUNTED + 1}) counted`,
    values.map(([, value]) => value),
  );
  const total = row?.total ?? 0;
  return { total: Math.min(total, COUNTED), isExact: total <= COUNTED };
}
