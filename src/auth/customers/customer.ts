/** The owner of data. A demo customer exists as long as its session. */
export interface Customer {
  readonly id: string;
  readonly kind: 'demo' | 'standard';
  /** Whether the customer has own fields, as stored with its key. */
  readonly hasOwnFields?: true;
}

/** A customer's name and time zone. */
export interface CustomerProfile {
  readonly id: string;
  readonly name: string;
  /** IANA name, such as Asia/Qatar. */
  readonly timeZone: string;
}
