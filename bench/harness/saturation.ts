import type { Loaded } from './load';

/** Milliseconds after which an answer does not count any more. */
const DEADLINE_MS = 1_000;
/** Numbers of connections, one of which saturates the service. */
const STEPS = [4, 8, 16, 32, 64];
/** The gain in goodput that more connections must bring; otherwise they count as too many. */
const WORTH = 1.05;

/** Correct and timely answers per second while the load lasted. */
export function goodput({ latencies, statuses, ends }: Loaded, lasted: number): number {
  const good = latencies.filter(
    (latency, place) =>
      statuses[place] === 200 && latency <= DEADLINE_MS && (ends[place] ?? Infinity) <= lasted,
  );
  return good.length / lasted;
}

/** The least number of connections beyond which goodput hardly grows. */
export async function findSaturation(goodputWith: (connections: number) => Promise<number>): Promise<number> {
  let best = { connections: 1, goodput: 0 };
  for (const connections of STEPS) {
    const reached = await goodputWith(connections);
    if (reached > best.goodput * WORTH) best = { connections, goodput: reached };
  }
  return best.connections;
}
