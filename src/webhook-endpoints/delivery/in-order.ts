/** An item of work. Items of the same object are processed one after the other, other items concurrently. */
export interface Ordered {
  /** Null for what belongs to no object. */
  readonly object: string | null;
}

/**
 * Processes a list of items, a few at a time. They begin in order, and an item begins only when the earlier items of
 * the same object have ended. So the items that have not begun when the processing is told to stop are the end of the
 * list.
 *
 * @param mayBegin called right before each item
 * @param act must not reject
 * @returns the items that have not begun
 */
export async function actInOrder<Thing extends Ordered>(
  things: readonly Thing[],
  mostAtOnce: number,
  mayBegin: () => boolean,
  act: (thing: Thing) => Promise<void>,
): Promise<readonly Thing[]> {
  const running = new Set<Promise<void>>();
  const last = new Map<string, Promise<void>>();
  let begun = 0;
  for (const thing of things) {
    const { object } = thing;
    if (object !== null) await last.get(object);
    while (running.size >= mostAtOnce) await Promise.race(running);
    if (!mayBegin()) break;
    begun += 1;
    const acting: Promise<void> = act(thing).finally(() => void running.delete(acting));
    running.add(acting);
    if (object !== null) last.set(object, acting);
  }
  await Promise.all(running);
  return things.slice(begun);
}
