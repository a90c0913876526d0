import { countsFor } from './counts';

/** The native IDs, on platform_a, of payments that are on both platforms under a key of their own and are not long. */
export function linkedPayments(records: number): readonly number[] {
  const { payment } = countsFor(records);
  return Array.from({ length: Math.floor(payment / 2) }, (_, index) => index)
    .filter((index) => index % 20 !== 0 && index % 100 !== 99)
    .map((index) => index + 1);
}
