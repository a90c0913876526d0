/** Amounts that leave room: no change of payments comes above their invoice, and no invoice above its contract. */
export const INVOICE_FROM = 100_000_000;
export const CONTRACT_FROM = 1_000_000_000_000;
