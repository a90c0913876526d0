import {
  divideHalfEven,
  formatDecimal,
  decimalIn,
  minus,
  ZERO,
  type Decimal,
  type JsonValue,
} from '@app/mapper';

/** A field as a decimal; zero if it has none. */
export function amountOf(value: JsonValue | undefined): Decimal {
  return decimalIn(value) ?? ZERO;
}

/** Rounds half to even, to this number of decimals. */
export function rounded({ units, scale }: Decimal, decimals: number): Decimal {
  if (scale <= decimals) return { units, scale };
  return { units: divideHalfEven(units, 10n ** BigInt(scale - decimals)), scale: decimals };
}

export function isZero({ units }: Decimal): boolean {
  return units === 0n;
}

export function sameAmount(one: Decimal, other: Decimal): boolean {
  return isZero(minus(one, other));
}

/** The platform's text of an amount: its scale, and at least one decimal. */
export function amountText({ units, scale }: Decimal): string {
  return scale === 0 ? formatDecimal(units * 10n, 1) : formatDecimal(units, scale);
}

/** A share of a whole in percent, with at most this number of decimals; "0.0" if the whole is zero. */
export function percentText(part: Decimal, whole: Decimal, decimals: number): string {
  if (isZero(whole)) return '0.0';
  const scale = Math.max(part.scale, whole.scale);
  const denominator = atScale(whole, scale);
  const numerator = atScale(part, scale) * 10n ** BigInt(decimals + 2);
  const share =
    denominator < 0n ? divideHalfEven(-numerator, -denominator) : divideHalfEven(numerator, denominator);
  return formatDecimal(share, decimals).replace(/(\.\d{1,9}?)0{1,9}$/, '$1');
}

function atScale({ units, scale }: Decimal, larger: number): bigint {
  return units * 10n ** BigInt(larger - scale);
}
