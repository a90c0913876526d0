import { businessKeyOf, fieldsOf, keyFieldsOf, stringifyJson, type BusinessKey } from '@app/mapper';
import type { RequestedChange, CurrentObjectState } from './change-context';
import type { Change } from '../intent/change';
import { canonicalIntent } from '../intent/canonical-intent';
import { nativeIntent } from '../intent/native-intent';
import { refuseLargeRecord } from '../record-size';

/**
 * Reads the requested change from a patch.
 *
 * @throws ChangeRefused `untranslatable` for a patch that no record could hold, `not_writable` for an unknown own field
 */
export function readRequestedChange(
  { entityType, canonical, origin, terms }: Omit<CurrentObjectState, 'earlier'>,
  { patch, createMissing }: Change,
): RequestedChange {
  // All values of a patch are stored in records, so a patch that is too large for a record is refused without further
  // checks.
  refuseLargeRecord(stringifyJson(patch), 'the change alone');
  if (origin === undefined) {
    const { fields, restated, problems } = canonicalIntent(entityType, canonical, patch, terms.own);
    return {
      fields,
      restated,
      problems,
      references: new Map(),
      native: undefined,
      createMissing,
      pathOf: (field) => field,
    };
  }
  const native = nativeIntent(entityType, origin, patch);
  const { fields, restated, problems, references, paths } = native;
  return {
    fields,
    restated,
    problems,
    references,
    native,
    createMissing,
    pathOf: (field) => paths.get(field) ?? origin.mapping.pathOf(field) ?? field,
  };
}

/** The values that must be looked up before a change can be planned. */
export interface Lookups {
  /** Canonical IDs that the patch names. */
  readonly canonicalIds: readonly string[];
  /** The key of the object after the change; undefined if its uniqueness does not matter. */
  readonly key: BusinessKey | undefined;
  /** The invoice number in a patch of a payment. */
  readonly invoiceNumber: string | undefined;
}

/** The names in a change that only the database can resolve. */
export function lookupsOf(state: CurrentObjectState, requested: RequestedChange): Lookups {
  const { entityType, canonical, copies, connected } = state;
  const known = fieldsOf(entityType);
  const canonicalIds = [...requested.fields, ...requested.restated].flatMap(([field, value]) =>
    known[field]?.refersTo !== undefined && typeof value === 'string' ? [value] : [],
  );
  const key = businessKeyOf(entityType, { ...canonical, ...Object.fromEntries(requested.fields) });
  const changesKey = keyFieldsOf(entityType).some((field) => requested.fields.has(field));
  const creates =
    (requested.createMissing === true || requested.fields.size > 0 || requested.references.size > 0) &&
    connected.some(({ platform }) => !copies.some((copy) => copy.platform === platform));
  const number = entityType === 'payment' ? requested.fields.get('invoice_number') : undefined;
  return {
    canonicalIds,
    key: changesKey || creates ? key : undefined,
    invoiceNumber: typeof number === 'string' ? number : undefined,
  };
}
