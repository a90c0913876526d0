import {
  businessKeyOf,
  fieldsOf,
  keyFieldsOf,
  stringifyJson,
  type BusinessKey,
  type FieldIssue,
} from '@app/mapper';
import type { RequestedChange, CurrentObjectState } from './change-context';
import type { Change } from '../intent/change';
import { canonicalIntent } from '../intent/canonical-intent';
import { nativeIntent } from '../intent/native-intent';
import { refuseLargeRecord } from '../record-size';
import { notWritable } from '../refusal';
import { whyUnwritable } from '../resolved/authority';

/**
 * Reads the requested change from a patch.
 *
 * @throws ChangeRefused `untranslatable` for a patch that no record could hold, `not_writable` naming each field that
 *   cannot be written and each unknown own field
 */
export function readRequestedChange(
  state: Omit<CurrentObjectState, 'earlier'>,
  { patch, createMissing }: Change,
): RequestedChange {
  const { entityType, canonical, origin, terms } = state;
  // All values of a patch are stored in records, so a patch that is too large for a record is refused without further
  // checks.
  refuseLargeRecord(stringifyJson(patch), 'the change alone');
  if (origin === undefined) {
    const { unknown, ...intent } = canonicalIntent(entityType, canonical, patch, terms.own);
    const requested: RequestedChange = {
      ...intent,
      references: new Map(),
      native: undefined,
      createMissing,
      pathOf: (field) => field,
    };
    refuseUnwritable(state, requested, unknown);
    return requested;
  }
  const native = nativeIntent(entityType, origin, patch);
  const { fields, restated, problems, references, paths } = native;
  const requested: RequestedChange = {
    fields,
    restated,
    problems,
    references,
    native,
    createMissing,
    pathOf: (field) => paths.get(field) ?? origin.mapping.pathOf(field) ?? field,
  };
  refuseUnwritable(state, requested);
  return requested;
}

/** @throws ChangeRefused `not_writable`, naming each field that cannot be written, after the unknown ones */
function refuseUnwritable(
  state: Omit<CurrentObjectState, 'earlier'>,
  { fields, references, pathOf }: RequestedChange,
  unknown: readonly FieldIssue[] = [],
): void {
  const unwritable = [...fields.keys(), ...references.keys()].flatMap((field): FieldIssue[] => {
    const problem = whyUnwritable(state, field);
    return problem === undefined ? [] : [{ path: pathOf(field), problem }];
  });
  const issues = [...unknown, ...unwritable];
  if (issues.length > 0) throw notWritable(issues);
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
