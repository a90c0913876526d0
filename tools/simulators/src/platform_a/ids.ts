import { ExactNumber, type JsonValue } from '@app/mapper';

const FIRST_ID = 700_000_000_000n;
const BEYOND_DOUBLES = 2n ** 53n + 1n;

/** The digits of an ID, as it stands in a record, a body or an address; undefined for anything that is no ID. */
export function idText(value: JsonValue | undefined): string | undefined {
  if (value instanceof ExactNumber) return value.token;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : undefined;
}

/** An ID as a record shows it: an integer, of any size. */
export function idValue(text: string): JsonValue {
  return BigInt(text) < BEYOND_DOUBLES ? Number(text) : new ExactNumber(text);
}

/** Gives IDs that nothing has yet, over all resources. */
export class IdSource {
  constructor(
    private readonly isBig: () => boolean,
    /** How many were given so far. */
    public given = 0,
  ) {}

  next(): JsonValue {
    this.given += 1;
    // Odd ones beyond 2^53 are the ones that no double holds.
    const id = this.isBig() ? BEYOND_DOUBLES + 2n * BigInt(this.given) : FIRST_ID + BigInt(this.given);
    return this.isBig() ? new ExactNumber(String(id)) : Number(id);
  }
}
