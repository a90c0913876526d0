/** A rate with its direction: `1 USD = 3.6725 AED`. */
export function rateText(quote: {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
}): string {
  return `1 ${quote.from} = ${quote.rate} ${quote.to}`;
}
