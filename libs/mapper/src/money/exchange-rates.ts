import { isCurrency } from './currencies';
import { parseDecimalText, type Decimal } from './decimal-text';

/** A quoted rate: one unit of `from` is `rate` (plain decimal text) units of `to`. */
export interface RateQuote {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
}

/** Where a rate came from: the request's context, the customer's table, or an official peg. */
export type RateSource = 'request' | 'customer' | 'peg';

/** A rate that was found for a pair, as an exact fraction, and where it comes from. */
export interface ExchangeRate {
  readonly from: string;
  readonly to: string;
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** The rate as quoted; for a crossed pair both quotes, `3.64/3.6725`. */
  readonly rate: string;
  readonly source: RateSource;
  /** True when the quote names the pair in the opposite direction. */
  readonly inverted?: true;
  /** The pair was crossed through this currency. */
  readonly via?: string;
}

/**
 * Official pegs to one US dollar, as set by the Qatar Central Bank, the Central Bank of the UAE, the Saudi Central
 * Bank, the Central Bank of Oman and the Central Bank of Bahrain.
 */
const pegs: ReadonlyMap<string, string> = new Map([
  ['QAR', '3.64'],
  ['AED', '3.6725'],
  ['SAR', '3.75'],
  ['OMR', '0.3845'],
  ['BHD', '0.376'],
]);

/** Why a quote cannot be used, in words that follow the name of the field; undefined if it can. */
export function problemOfQuote(quote: {
  readonly from?: unknown;
  readonly to?: unknown;
  readonly rate?: unknown;
}): { readonly member: 'from' | 'to' | 'rate'; readonly problem: string } | undefined {
  for (const member of ['from', 'to'] as const) {
    const code = quote[member];
    if (typeof code !== 'string' || !isCurrency(code))
      return { member, problem: 'expected an ISO 4217 currency' };
  }
  if (quote.from === quote.to) return { member: 'to', problem: 'expected another currency than `from`' };
  const decimal =
    typeof quote.rate === 'string' && quote.rate.length <= 40 ? parseDecimalText(quote.rate) : undefined;
  if (decimal === undefined || decimal.units <= 0n) {
    return { member: 'rate', problem: 'expected a positive decimal number as text, such as "3.64"' };
  }
  return undefined;
}

/** Whether a value from outside is a quote that can be used; {@link problemOfQuote} says why not. */
export function isQuote(quote: Parameters<typeof problemOfQuote>[0]): quote is RateQuote {
  return problemOfQuote(quote) === undefined;
}

/**
 * Finds the rate for a pair. The request's own quote comes first, then the customer's, then the pegs; a quote also
 * serves the opposite direction. Only pegs are crossed, and only through the dollar they are defined in.
 */
export function findRate(
  from: string,
  to: string,
  quotes: { readonly request?: RateQuote | undefined; readonly customer?: readonly RateQuote[] | undefined },
): ExchangeRate | undefined {
  if (quotes.request) {
    const rate = quotedRate(from, to, [quotes.request], 'request');
    if (rate) return rate;
  }
  return quotedRate(from, to, quotes.customer ?? [], 'customer') ?? peggedRate(from, to);
}

function quotedRate(
  from: string,
  to: string,
  quotes: readonly RateQuote[],
  source: RateSource,
): ExchangeRate | undefined {
  const direct = quotes.find((quote) => quote.from === from && quote.to === to);
  if (direct) return { from, to, ...fraction(direct.rate), rate: direct.rate, source };
  const opposite = quotes.find((quote) => quote.from === to && quote.to === from);
  if (opposite)
    return { from, to, ...invert(fraction(opposite.rate)), rate: opposite.rate, source, inverted: true };
  return undefined;
}

function peggedRate(from: string, to: string): ExchangeRate | undefined {
  const fromPeg = pegs.get(from);
  const toPeg = pegs.get(to);
  if (from === 'USD' && toPeg) return { from, to, ...fraction(toPeg), rate: toPeg, source: 'peg' };
  if (to === 'USD' && fromPeg) {
    return { from, to, ...invert(fraction(fromPeg)), rate: fromPeg, source: 'peg', inverted: true };
  }
  if (!fromPeg || !toPeg) return undefined;
  const out = fraction(toPeg);
  const back = invert(fraction(fromPeg));
  return {
    from,
    to,
    numerator: out.numerator * back.numerator,
    denominator: out.denominator * back.denominator,
    rate: `${toPeg}/${fromPeg}`,
    source: 'peg',
    via: 'USD',
  };
}

/**
 * The quotes from which a rate follows, each as one unit of `from` in units of `to`: one quote, or for a cross rate
 * two, the price of one unit of the currency between in each of the two currencies.
 */
export function quotesOf(
  rate: Pick<ExchangeRate, 'from' | 'to' | 'rate' | 'inverted' | 'via'>,
): readonly RateQuote[] {
  const { from, to, via } = rate;
  if (via === undefined)
    return [rate.inverted ? { from: to, to: from, rate: rate.rate } : { from, to, rate: rate.rate }];
  return [from, to].flatMap((code) => {
    const peg = pegs.get(code);
    return peg === undefined ? [] : [{ from: via, to: code, rate: peg }];
  });
}

type Fraction = Pick<ExchangeRate, 'numerator' | 'denominator'>;

function fraction(rate: string): Fraction {
  const decimal: Decimal | undefined = parseDecimalText(rate);
  if (!decimal || decimal.units <= 0n) throw new RangeError(`${rate} is no exchange rate`);
  return { numerator: decimal.units, denominator: 10n ** BigInt(decimal.scale) };
}

function invert({ numerator, denominator }: Fraction): Fraction {
  return { numerator: denominator, denominator: numerator };
}
