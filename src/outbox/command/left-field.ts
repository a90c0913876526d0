import { isJsonArray, isJsonObject, ownMember, type JsonObject } from '@app/mapper';

/** A canonical field of a change that is not sent to one platform, although the platform's record has another value. */
export interface LeftField {
  readonly field: string;
  /** Why, for people. */
  readonly reason: string;
}

/** The fields as they are stored with an outcome, which has no member `left` if there are none. */
export function leftMember(left: readonly LeftField[]): { left?: JsonObject[] } {
  return left.length === 0 ? {} : { left: left.map((one) => ({ ...one })) };
}

/**
 * The fields that a stored outcome names.
 *
 * @throws Error if anything else is stored there
 */
export function leftIn(outcome: JsonObject): readonly LeftField[] {
  const left = ownMember(outcome, 'left');
  return isJsonArray(left) ? left.map(leftFrom) : [];
}

function leftFrom(stored: unknown): LeftField {
  const { field, reason } = isJsonObject(stored) ? stored : {};
  if (typeof field !== 'string' || typeof reason !== 'string') {
    throw new Error('A field that a kept outcome leaves cannot be read');
  }
  return { field, reason };
}
