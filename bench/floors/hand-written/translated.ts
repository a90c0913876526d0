import type { JsonObject, JsonValue } from '@app/mapper';
import type { Taken } from './reading';
import type { TargetReference, Written } from './writing';

/** A record of platform_a: its canonical form, its residue, and its form on platform_b. */
export interface Translated {
  readonly nativeId: string | undefined;
  readonly data: JsonObject;
  readonly references: Readonly<Record<string, readonly NamedRecord[]>>;
  readonly rest: JsonObject;
  readonly currency: string | undefined;
  readonly namesCurrency: boolean;
  readonly payload: JsonObject;
  readonly issues: readonly { readonly path: string; readonly problem: string }[];
}

/** How a record names another one: by native ID or by business key. */
export interface NamedRecord {
  readonly refersTo: string;
  readonly by: string;
  readonly value: string;
  readonly path: string;
}

/** IDs and keys of platform_b by type and ID of platform_a. */
export type KnownRecords = ReadonlyMap<string, TargetReference>;

/** How the first of some names is named on platform_b; null where the record says that there is none. */
export function targetOf(
  named: readonly NamedRecord[] | undefined,
  known: KnownRecords,
): TargetReference | null | undefined {
  if (named === undefined) return undefined;
  const first = named[0];
  return first === undefined ? null : known.get(`${first.refersTo} ${first.value}`);
}

/** The names of a reference by ID, as they are reported. */
export function namedById(
  refersTo: string,
  id: string | null | undefined,
  path: string,
): readonly NamedRecord[] | undefined {
  if (id === undefined) return undefined;
  return id === null ? [] : [{ refersTo, by: 'id', value: id, path }];
}

/** Puts the parts of a translation together. Values that did not fit go back to where they were. */
export function translated(
  taken: Taken,
  fields: Record<string, JsonValue>,
  lines: JsonObject | undefined,
  others: Pick<Translated, 'nativeId' | 'references' | 'currency' | 'namesCurrency'>,
  { payload, issues }: Written,
): Translated {
  for (const { path, native } of taken.issues) putBack(fields, path.split('.'), native);
  return {
    nativeId: others.nativeId,
    data: taken.data,
    references: others.references,
    rest: {
      fields,
      ...(taken.literals !== undefined && { literals: taken.literals }),
      ...(lines !== undefined && { lines }),
    },
    currency: others.currency,
    namesCurrency: others.namesCurrency,
    payload,
    issues: [...taken.issues, ...issues],
  };
}

function putBack(fields: Record<string, JsonValue>, path: readonly string[], native: JsonValue): void {
  const [member = '', inner] = path;
  if (inner === undefined) fields[member] ??= native;
  else fields[member] = { ...(fields[member] as JsonObject | undefined), [inner]: native };
}
