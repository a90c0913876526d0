/**
 * Kinds of cases, as lists of cases and events name them.
 *
 * - `disagreement`: two platforms have different values for a field;
 * - `only_on`: only one of the two has the object;
 * - `ambiguous`: only one has the object, and the other has records with its key;
 * - `other_project`: a record belongs to another project than its linked record;
 * - `unreadable`: a field of a record is invalid and left out of the canonical object, or a linked record has no
 *   amount;
 * - `not_comparable`: a rate is missing between two amounts, or from one to the currency of the statement, or a
 *   currency is unknown.
 */
export const caseKinds = [
  'disagreement',
  'only_on',
  'ambiguous',
  'other_project',
  'unreadable',
  'not_comparable',
] as const;
export type CaseKind = (typeof caseKinds)[number];
