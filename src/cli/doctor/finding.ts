/** What a check of the installation has found. */
export interface Finding {
  readonly check: 'settings' | 'database' | 'clock' | 'migrations' | 'keys' | 'platform';
  /** `not tried` where an earlier finding stands in the way. */
  readonly state: 'ok' | 'wrong' | 'not tried';
  /** One line for the operator: what was found, and what to do about it. */
  readonly detail: string;
  /** The customer of a connection that was tried; null for what concerns all. */
  readonly customer_id: string | null;
}

/** A finding that concerns all customers. */
export function finding(check: Finding['check'], state: Finding['state'], detail: string): Finding {
  return { check, state, detail, customer_id: null };
}
