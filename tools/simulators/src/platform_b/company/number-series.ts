/** What a series counts. */
export type Series =
  | 'customers'
  | 'projects'
  | 'salesOrders'
  | 'draftInvoices'
  | 'postedInvoices'
  | 'receipts';

const starts: Readonly<
  Record<Series, { readonly prefix: string; readonly last: number; readonly digits: number }>
> = {
  customers: { prefix: 'C', last: 10_000, digits: 5 },
  projects: { prefix: 'J', last: 10_000, digits: 5 },
  salesOrders: { prefix: 'S-ORD', last: 101_000, digits: 6 },
  draftInvoices: { prefix: 'S-INV', last: 102_000, digits: 6 },
  postedInvoices: { prefix: 'PS-INV', last: 103_000, digits: 6 },
  receipts: { prefix: 'G', last: 10, digits: 5 },
};

/** The number series of a company: each gives every number once. */
export class NumberSeries {
  private readonly last = new Map<Series, number>();

  /** The next number of a series. */
  next(series: Series): string {
    const { prefix, last, digits } = starts[series];
    const number = (this.last.get(series) ?? last) + 1;
    this.last.set(series, number);
    return prefix + String(number).padStart(digits, '0');
  }

  /** Takes notice of a number that is used, so that it is not given again. */
  used(series: Series, number: string): void {
    const { prefix, last } = starts[series];
    const count = number.startsWith(prefix) ? number.slice(prefix.length) : '';
    if (!/^\d{1,12}$/.test(count)) return;
    this.last.set(series, Math.max(this.last.get(series) ?? last, Number(count)));
  }
}
