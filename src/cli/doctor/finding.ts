/** The result of one check of the installation. */
export interface Finding {
  readonly check: 'settings' | 'database' | 'clock' | 'migrations' | 'keys' | 'platform';
  /** `not tried`: an earlier finding makes the check impossible. */
  readonly state: 'ok' | 'wrong' | 'not tried';
  /** One line for the operator: what was found, and what to do about it. */
  readonly detail: string;
  /** The customer of the tested connection; null for findings that concern all customers. */
  readonly customer_id: string | null;
}

/** Creates a finding that concerns all customers. */
export function finding(check: Finding['check'], state: Finding['state'], detail: string): Finding {
  return { check, state, detail, customer_id: null };
}
