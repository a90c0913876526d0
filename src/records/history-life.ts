/** Milliseconds that versions of records, and the changes that made them, are kept; 0 for ever. */
export const HISTORY_LIFE_MS = 400 * 86_400_000;
