import { isExact, type Amount } from '../../parts/values/money-text';

/** Control totals of a type: two sums, and the lines that lead from the first to the second. */
export interface Totals {
  readonly from: { readonly sum: Amount };
  readonly lines: readonly { readonly cause: string; readonly amount: Amount }[];
  readonly to: { readonly sum: Amount };
}

/** What the page finds when it adds the lines itself. */
export type Footing =
  | { readonly foots: true; /** The second sum less the first. */ readonly difference: bigint }
  | {
      readonly foots: false;
      readonly why: 'other_sum';
      /** What the lines come to beyond the second sum. */ readonly excess: bigint;
    }
  | { readonly foots: false; readonly why: 'other_currency' | 'not_exact' };

/** Adds the lines to the first sum, and compares the result with the second, to the minor unit. */
export function footingOf({ from, lines, to }: Totals): Footing {
  const amounts = [from.sum, ...lines.map(({ amount }) => amount), to.sum];
  if (amounts.some(({ currency }) => currency !== from.sum.currency))
    return { foots: false, why: 'other_currency' };
  if (!amounts.every(isExact)) return { foots: false, why: 'not_exact' };
  const [first, second] = [BigInt(from.sum.amount), BigInt(to.sum.amount)];
  const reached = lines.reduce((sum, { amount }) => sum + BigInt(amount.amount), first);
  return reached === second
    ? { foots: true, difference: second - first }
    : { foots: false, why: 'other_sum', excess: reached - second };
}
