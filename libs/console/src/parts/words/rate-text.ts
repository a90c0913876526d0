import type { components } from '@app/client';

/** A rate by which the service converts. */
export type Rate = components['schemas']['StatementRate'];

/** A rate with its direction: `1 USD = 3.6725 AED`. */
export function rateText(quote: {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
}): string {
  return `1 ${quote.from} = ${quote.rate} ${quote.to}`;
}

/** The quotes behind a rate: two where it is crossed through a third currency. */
export function quotesText({ quotes }: Pick<Rate, 'quotes'>): string {
  return quotes.map(rateText).join('; ');
}

/** Where a rate is from, in words. */
export const sourceWords: Readonly<Record<Rate['source'], string>> = {
  peg: 'official peg',
  customer: 'agreed with the customer',
};
