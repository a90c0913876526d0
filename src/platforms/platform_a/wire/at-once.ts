/** The most concurrent calls of one piece of work; as many as the rate limiter allows. */
const AT_ONCE = 4;

/**
 * Processes items, a few concurrently; the results are in the order of the items. After a failure it begins no further
 * item.
 *
 * @throws the error of the first item that fails
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
