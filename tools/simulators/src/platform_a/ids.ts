import { ExactNumber, type JsonValue } from '@app/mapper';

const FIRST_ID = 700_000_000_000n;
const BEYOND_DOUBLES = 2n ** 53n + 1n;

/** The digits of an ID from a record, a body or an address; undefined for a value that is no ID. */
export function idText(value: JsonValue | undefined): string | undefined {
  if (value instanceof ExactNumber) return value.token;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : undefined;
}

/** An ID as a record shows it: an integer, of any size. */
export function idValue(text: string): JsonValue {
  return BigInt(text) < BEYOND_DOUBLES ? Number(text) : new ExactNumber(text);
}

/** Creates IDs that are unique over all resources. */
export class IdSource {
  constructor(
    private readonly isBig: () => boolean,
    /** The number of IDs created so far. */
    public given = 0,
  ) {}

  next(): JsonValue {
    this.given += 1;
    // Above 2^53, a double cannot represent odd numbers.
    const id = this.isBig() ? BEYOND_DOUBLES + 2n * BigInt(this.given) : FIRST_ID + BigInt(this.given);
    return this.isBig() ? new ExactNumber(String(id)) : Number(id);
  }
}
