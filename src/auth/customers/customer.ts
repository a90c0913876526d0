/** The owner of data. A demo customer exists as long as its session. */
export interface Customer {
  readonly id: string;
  readonly kind: 'demo' | 'standard';
  /** Whether it has fields of its own, as its key says. */
  readonly hasOwnFields?: true;
}

/** What a customer is called, and where its days begin and end. */
export interface CustomerProfile {
  readonly id: string;
  readonly name: string;
  /** IANA name, such as Asia/Qatar. */
  readonly timeZone: string;
}
