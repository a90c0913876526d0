const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** Ten years, in milliseconds. Dates much further back are outside the database's range. */
export const LONGEST_AGE = 3_650 * UNITS.d;

const form = /^(\d{1,15})([smhd])$/;

/**
 * Parses a duration: a whole number and its unit (`90s`, `30m`, `12h`, `7d`), or `0`. The unit is required: 24 instead
 * of 24h would end a key, or delete data, too early.
 *
 * @returns milliseconds, exactly; undefined for any other text, and for a duration that is too long to count in
 *   milliseconds
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, digits, unit] = form.exec(text) ?? [];
  if (digits === undefined || !isUnit(unit)) return undefined;
  const milliseconds = Number(digits) * UNITS[unit];
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

function isUnit(text: string | undefined): text is keyof typeof UNITS {
  return text !== undefined && Object.hasOwn(UNITS, text);
}
