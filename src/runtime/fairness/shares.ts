import type { Shares } from './fair-semaphore';

/**
 * The shares of a connection pool. Of twelve connections, four go to a customer, two of them for its long work; ten to
 * all customers together, so that two remain for key lookups and probes whatever customers do; eight to all long work.
 *
 * @param poolSize connections of the process, at least one
 */
export function sharesOf(poolSize: number): Shares {
  const part = (numerator: number, denominator: number, least: number): number =>
    Math.min(poolSize, Math.max(least, Math.floor((poolSize * numerator) / denominator)));
  const kept = poolSize > 3 ? part(1, 6, 1) : 0;
  const each = Math.min(poolSize - kept, part(1, 3, 2));
  return {
    all: poolSize,
    long: part(2, 3, 1),
    customers: poolSize - kept,
    each,
    eachLong: Math.max(1, Math.floor(each / 2)),
    service: part(1, 3, 2),
    serviceLong: part(1, 6, 1),
  };
}
