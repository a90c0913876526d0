/** Calls of one piece of work under way at the same time; as many as the rate limiter lets out. */
const AT_ONCE = 4;

/**
 * Works on items, a few at the same time; the results are in the order of the items. After a failure none is begun.
 *
 * @throws what the first one throws that fails
 */
export async function eachAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let place = next++; place < items.length && !failed; place = next++) {
      const item = items[place];
      if (item === undefined) continue;
      try {
        results[place] = await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}
