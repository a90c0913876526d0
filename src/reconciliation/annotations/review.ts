/** A person's decision to leave a difference as it is. Times are in UTC, with microseconds. */
export interface Acceptance {
  readonly at: string;
  readonly reason: string;
  readonly decidedBy: string;
  /** When the acceptance expires; null for never. */
  readonly endsAt: string | null;
  /** The expiry in the form in which the caller gave it. */
  readonly until: string | null;
  /** The `valuesDigestOf` of the case that was accepted. */
  readonly values: string;
}

/** What people say about a case. */
export interface Review {
  readonly owner: string | null;
  readonly acceptance: Acceptance | null;
}

/** The review of a case without one. */
export const unreviewed: Review = { owner: null, acceptance: null };

/** What ended the acceptance of the review before: a person, another value on either side, or the end of the case. */
export type AcceptanceEnd = 'taken_back' | 'value_changed' | 'closed';

/**
 * Whether a difference counts as accepted: the values on both sides are the accepted ones, and the acceptance has not
 * ended. `acceptedSql` computes the same in SQL. Pure.
 *
 * @param values the digest of the open case's values; null if it is not known
 * @param time in UTC, with microseconds
 */
export function isAccepted(
  acceptance: { readonly values: string | null; readonly endsAt: string | null } | null | undefined,
  values: string | null,
  time: string,
): boolean {
  return (
    acceptance !== null &&
    acceptance !== undefined &&
    acceptance.values !== null &&
    acceptance.values === values &&
    (acceptance.endsAt === null || acceptance.endsAt > time)
  );
}

/** A time in milliseconds as text: UTC, with microseconds. */
export function timeOfMilliseconds(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}
