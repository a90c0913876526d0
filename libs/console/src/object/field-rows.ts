import type { Platform } from '../data/queries';
import type { Disagreement } from './use-object';

/** What two platforms say of a field, compared: as the service says it, and where it says nothing, as the values show. */
export type Compared = 'same' | 'other' | 'unseen' | 'apart' | 'alone';

/** A field of an object: its canonical value, and each platform's. */
export interface FieldRow {
  readonly field: string;
  readonly canonical: unknown;
  /** By platform; undefined where its record says nothing. */
  readonly values: Readonly<Partial<Record<Platform, unknown>>>;
  readonly compared: Compared;
  /** Of a field on which the platforms differ. */
  readonly disagreement: Disagreement | undefined;
}

/** Members that are no field of the books: names of the object, its time stamps, and what is kept aside. */
const otherMembers: ReadonlySet<string> = new Set([
  'id',
  'object',
  'external_ids',
  'provider_metadata',
  'created_at',
  'updated_at',
]);

/** Fields that name another object. They follow from the links between records, so a record alone does not tell them. */
export const referenceFields = [
  'project_id',
  'customer_id',
  'contract_id',
  'invoice_id',
  'parent_id',
] as const;
const references: ReadonlySet<string> = new Set(referenceFields);

/**
 * A row for each field that a platform or the object has a value of, those that differ first.
 *
 * @param canonical the object
 * @param records of each platform the fields that its record has, in canonical form
 */
export function fieldRows(
  canonical: Readonly<Record<string, unknown>>,
  records: ReadonlyMap<Platform, Readonly<Record<string, unknown>>>,
  disagreements: readonly Disagreement[],
): FieldRow[] {
  const differing = new Map(disagreements.map((one) => [one.field, one]));
  const names = new Set([
    ...differing.keys(),
    ...Object.keys(canonical),
    ...[...records.values()].flatMap((record) => Object.keys(record)),
  ]);
  return [...names].flatMap((field) => {
    const disagreement = differing.get(field);
    if (otherMembers.has(field) || (disagreement === undefined && references.has(field))) return [];
    const values = disagreement === undefined ? valuesOf(field, records) : canonicalValues(disagreement);
    const value = canonical[field];
    if (isNothing(value) && Object.keys(values).length === 0) return [];
    return [{ field, canonical: value, values, compared: comparedAs(values, disagreement), disagreement }];
  });
}

function valuesOf(
  field: string,
  records: ReadonlyMap<Platform, Readonly<Record<string, unknown>>>,
): Partial<Record<Platform, unknown>> {
  return Object.fromEntries(
    [...records].flatMap(([platform, record]) =>
      isNothing(record[field]) ? [] : [[platform, record[field]]],
    ),
  );
}

function canonicalValues({ values }: Disagreement): Partial<Record<Platform, unknown>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([platform, value]) =>
      value === undefined ? [] : [[platform, value.canonical ?? value.native]],
    ),
  );
}

function comparedAs(values: FieldRow['values'], disagreement: Disagreement | undefined): Compared {
  if (disagreement !== undefined) return lookAlike(Object.values(values)) ? 'unseen' : 'other';
  const [first, second, ...more] = Object.values(values);
  if (first === undefined || second === undefined || more.length > 0) return 'alone';
  return JSON.stringify(first) === JSON.stringify(second) ? 'same' : 'apart';
}

/** Whether values are texts that look the same, except for blanks, the width of letters and invisible characters. */
function lookAlike(values: readonly unknown[]): boolean {
  const shapes = values.map((value) =>
    typeof value === 'string' ? value.normalize('NFKC').replace(/[\s\p{C}]+/gu, '') : value,
  );
  return shapes.length > 1 && shapes.every((shape) => typeof shape === 'string' && shape === shapes[0]);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
