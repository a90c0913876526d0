/** The owner of data. A demo customer exists as long as its session. */
export interface Customer {
  readonly id: string;
  readonly kind: 'demo' | 'standard';
}
