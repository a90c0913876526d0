import {
  ExactNumber,
  isMoney,
  mappingOf,
  ownMember,
  sameJson,
  valueAt,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type OwnFields,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { StoredCopy } from '../../records/loaded-object';

/** The longest native text that the history stores, in UTF-16 code units. Canonical fields have no such limit. */
const LONGEST_TEXT = 200;

/** The record that a write changes. */
export interface WrittenRecord {
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  readonly currencies: Pick<StoredCopy, 'inheritedCurrency' | 'localCurrency'>;
}

/**
 * The native values of a platform before and after a write, by native path: those that the write names and that differ.
 * Lists and long texts are left out. Pure.
 *
 * @param before undefined for a record that the write creates
 * @param paths native paths that the write sets
 * @param own the customer's own fields
 * @returns members `before`, `after` and, where an amount is among them, its `currency`; none where nothing differs
 */
export function nativeValuesOf(
  { platform, entityType, variant, currencies }: WrittenRecord,
  before: JsonObject | undefined,
  after: JsonObject,
  paths: readonly JsonPath[],
  own?: OwnFields,
): JsonObject {
  const mapping = mappingOf(platform, entityType, { variant, own });
  const values: { readonly before: Record<string, JsonValue>; readonly after: Record<string, JsonValue> } = {
    before: {},
    after: {},
  };
  const { data } = mapping.readOnce(after, currencies);
  let currency: string | undefined;
  for (const field of mapping.fieldsAt(paths)) {
    for (const path of mapping.pathsOf(field)) {
      const [was, is] = [before && valueAt(before, path), valueAt(after, path)];
      if (sameJson(was ?? null, is ?? null) || !isShort(was) || !isShort(is)) continue;
      const name = path.join('.');
      if (was !== undefined) values.before[name] = was;
      if (is !== undefined) values.after[name] = is;
      const value = ownMember(data, field);
      if (isMoney(value)) currency ??= value.currency;
    }
  }
  return {
    ...(Object.keys(values.before).length > 0 && { before: values.before }),
    ...(Object.keys(values.after).length > 0 && { after: values.after }),
    ...(currency !== undefined && { currency }),
  };
}

function isShort(value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return value.length <= LONGEST_TEXT;
  return typeof value !== 'object' || value === null || value instanceof ExactNumber;
}
