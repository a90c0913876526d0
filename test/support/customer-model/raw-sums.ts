import type { Listed, Platform } from '../customers/portfolio';

type Payload = Listed['platform_data'];

/** A rate of a statement. */
export interface StatementRate {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  readonly inverted: boolean;
}

/** The types with an amount. */
export const summedTypes = ['contract', 'invoice', 'payment'] as const;
export type SummedType = (typeof summedTypes)[number];

// The amount of each type on each platform. Payments have the opposite sign on platform_b.
const amounts: Readonly<Record<Platform, Readonly<Record<SummedType, (payload: Payload) => unknown>>>> = {
  platform_a: {
    contract: ({ grand_total: total }) => total,
    invoice: ({ summary }) => summary?.current_payment_due,
    payment: ({ amount }) => amount,
  },
  platform_b: {
    contract: ({ totalAmountExcludingTax: total }) => total,
    invoice: ({ totalAmountIncludingTax: total }) => total,
    payment: ({ amount }) => (amount === undefined ? undefined : -amount),
  },
};

/** A decimal with at most two places in hundredths, exactly. */
function cents(decimal: unknown): bigint {
  const [, sign = '', whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/.exec(String(decimal)) ?? [];
  if (whole === undefined) throw new Error(`${String(decimal)} is no amount`);
  return BigInt(`${sign}${whole}${fraction.padEnd(2, '0')}`);
}

/** The quotient of two numbers, rounded half to even. The divisor is positive. */
function divided(dividend: bigint, divisor: bigint): bigint {
  const size = dividend < 0n ? -dividend : dividend;
  const [whole, twice] = [size / divisor, 2n * (size % divisor)];
  const rounded = whole + (twice > divisor || (twice === divisor && whole % 2n === 1n) ? 1n : 0n);
  return dividend < 0n ? -rounded : rounded;
}

/** Sums a platform's records of a type in hundredths of a dollar, at the rates that a statement names. */
export function rawSum(
  platform: Platform,
  type: SummedType,
  records: readonly Listed[],
  rates: readonly StatementRate[],
): number {
  let sum = 0n;
  for (const { platform_data: payload } of records) {
    const own = cents(amounts[platform][type](payload));
    // All of platform_a is in dollars; platform_b leaves out the currency of its company.
    const currency: string = platform === 'platform_a' ? 'USD' : payload.currencyCode || 'QAR';
    sum += currency === 'USD' ? own : inDollars(own, currency, rates);
  }
  return Number(sum);
}

function inDollars(amount: bigint, currency: string, rates: readonly StatementRate[]): bigint {
  const said = rates.find(({ from, to }) => from === currency && to === 'USD');
  if (said === undefined) throw new Error(`The statement has no rate for ${currency}`);
  const [whole = '', fraction = ''] = said.rate.split('.');
  const [units, scale] = [BigInt(whole + fraction), 10n ** BigInt(fraction.length)];
  return said.inverted ? divided(amount * scale, units) : divided(amount * units, scale);
}
