import { isExact, type Amount } from './money-text';

/** The sums of amounts, one for each currency. Of a currency of which an amount is not exact, neither is the sum. */
export function sumsOf(amounts: readonly Amount[]): readonly Amount[] {
  const sums = new Map<string, Amount>();
  for (const one of amounts) {
    const before = sums.get(one.currency) ?? { amount: 0n, currency: one.currency };
    const isSum = isExact(before) && isExact(one);
    const amount = isSum ? BigInt(before.amount) + BigInt(one.amount) : Number.NaN;
    sums.set(one.currency, { amount, currency: one.currency });
  }
  return [...sums.values()];
}
