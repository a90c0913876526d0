import type { Loaded } from './load';

/** Later answers do not count. */
const DEADLINE_MS = 1_000;
/** Numbers of connections of which one saturates the service. */
const STEPS = [4, 8, 16, 32, 64];
/** More connections than that must bring so much more, or they count as too many. */
const WORTH = 1.05;

/** Answers a second that are right and in time, while the load lasted. */
export function goodput({ latencies, statuses, ends }: Loaded, lasted: number): number {
  const good = latencies.filter(
    (latency, place) =>
      statuses[place] === 200 && latency <= DEADLINE_MS && (ends[place] ?? Infinity) <= lasted,
  );
  return good.length / lasted;
}

/** The least number of connections beyond which there is little to gain. */
export async function findSaturation(goodputWith: (connections: number) => Promise<number>): Promise<number> {
  let best = { connections: 1, goodput: 0 };
  for (const connections of STEPS) {
    const reached = await goodputWith(connections);
    if (reached > best.goodput * WORTH) best = { connections, goodput: reached };
  }
  return best.connections;
}
