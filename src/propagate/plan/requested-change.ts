import { businessKeyOf, fieldsOf, keyFieldsOf, stringifyJson, type BusinessKey } from '@app/mapper';
import type { RequestedChange, CurrentObjectState } from './change-context';
import type { Change } from './change';
import { canonicalIntent } from './intent';
import { nativeIntent } from './native-intent';
import { refuseLargeRecord } from './record-size';

/**
 * Reads out of a patch what it asks for.
 *
 * @throws ChangeRefused `untranslatable` for a patch that no record could hold
 */
export function readRequestedChange(
  { entityType, canonical, origin }: Omit<CurrentObjectState, 'earlier'>,
  { patch }: Change,
): RequestedChange {
  // All that a patch sets ends in records, so what is too large for one need not be looked at.
  refuseLargeRecord(stringifyJson(patch), 'the change alone');
  if (origin === undefined) {
    const { fields, restated, problems } = canonicalIntent(entityType, canonical, patch);
    return { fields, restated, problems, references: new Map(), native: undefined, pathOf: (field) => field };
  }
  const native = nativeIntent(entityType, origin, patch);
  const { fields, restated, problems, references, paths } = native;
  return {
    fields,
    restated,
    problems,
    references,
    native,
    pathOf: (field) => paths.get(field) ?? origin.mapping.pathOf(field) ?? field,
  };
}

/** What has to be looked up for a change before it can be planned. */
export interface Lookups {
  /** Canonical IDs that the patch names. */
  readonly canonicalIds: readonly string[];
  /** The key that the object has after the change; undefined when it does not matter whether others have it. */
  readonly key: BusinessKey | undefined;
  /** An invoice's number that a patch of a payment names. */
  readonly invoiceNumber: string | undefined;
}

/** What a change names that only the store can resolve. */
export function lookupsOf(state: CurrentObjectState, requested: RequestedChange): Lookups {
  const { entityType, canonical, copies, connected } = state;
  const known = fieldsOf(entityType);
  const canonicalIds = [...requested.fields, ...requested.restated].flatMap(([field, value]) =>
    known[field]?.refersTo !== undefined && typeof value === 'string' ? [value] : [],
  );
  const key = businessKeyOf(entityType, { ...canonical, ...Object.fromEntries(requested.fields) });
  const changesKey = keyFieldsOf(entityType).some((field) => requested.fields.has(field));
  const creates =
    (requested.fields.size > 0 || requested.references.size > 0) &&
    connected.some(({ platform }) => !copies.some((copy) => copy.platform === platform));
  const number = entityType === 'payment' ? requested.fields.get('invoice_number') : undefined;
  return {
    canonicalIds,
    key: changesKey || creates ? key : undefined,
    invoiceNumber: typeof number === 'string' ? number : undefined,
  };
}
