const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const form = /^(\d{1,15})([smhd]?)$/;

/**
 * Reads a length of time as people write it: a whole number and its unit (`90s`, `30m`, `12h`, `7d`). Without a unit
 * the number is in seconds, so that `0` is no time at all.
 *
 * @returns milliseconds, exactly; undefined for any other text, and for what is too long to count in milliseconds
 */
export function parseDuration(text: string): number | undefined {
  const [, digits, unit] = form.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const milliseconds = Number(digits) * (isUnit(unit) ? UNITS[unit] : UNITS.s);
  return Number.isSafeInteger(milliseconds) ? milliseconds : undefined;
}

function isUnit(text: string | undefined): text is keyof typeof UNITS {
  return text !== undefined && Object.hasOwn(UNITS, text);
}
