/** A table and the tables that it refers to by foreign keys. */
export interface ReferringTable {
  readonly name: string;
  readonly refersTo: readonly string[];
}

/**
 * The tables in an order in which each table comes after those that it refers to, otherwise by name. References to tables
 * that are not in the list, or to the table itself, do not count.
 *
 * @throws Error when tables refer to one another in a circle
 */
export function spreadingOrder(tables: readonly ReferringTable[]): readonly string[] {
  const waiting = new Map(
    tables.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, refersTo }) => [name, refersTo]),
  );
  const order: string[] = [];
  while (waiting.size > 0) {
    const before = order.length;
    for (const [name, refersTo] of waiting) {
      if (refersTo.some((other) => other !== name && waiting.has(other))) continue;
      waiting.delete(name);
      order.push(name);
    }
    if (order.length === before)
      throw new Error(`Tables refer to one another: ${[...waiting.keys()].join(', ')}`);
  }
  return order;
}
