import {
  equalAtTheRate,
  fieldsOf,
  isMoney,
  ownMember,
  sameJson,
  valueAt,
  type FieldIssue,
  type JsonValue,
  type NativeChange,
  type PlatformName,
  type TargetReference,
} from '@app/mapper';
import type { LeftField } from '../../../outbox/command/left-field';
import { amountIn } from '../amounts';
import type { ChangeContext } from '../context/change-context';
import type { CopyState } from '../state/copy-state';
import { expectedOn, type ExpectedRecord } from '../state/expected-record';
import type { FieldValues } from '../intent/canonical-intent';
import { leftAbsent, leftFormless, leftReadOnly, leftUnknown } from './left-field';
import { refuseSeveralLines } from '../intent/native-intent';
import type { FieldConversion, PlatformIntention } from './platform-step';
import { referenceOn, referredPayloads } from '../state/referred';
import { ChangeRefused, untranslatable } from '../refusal';
import type { ResolvedChange } from '../resolved/resolved-change';

/** Fields of one record that a change modifies. */
interface Draft {
  readonly values: Record<string, JsonValue>;
  readonly references: Record<string, TargetReference | null>;
  readonly ids: Record<string, string | null>;
  readonly awaits: Record<string, ExpectedRecord>;
  readonly fields: string[];
  readonly conversions: FieldConversion[];
  /** Fields that the record does not adopt. */
  readonly left: LeftField[];
}

function emptyDraft(): Draft {
  return { values: {}, references: {}, ids: {}, awaits: {}, fields: [], conversions: [], left: [] };
}

/**
 * The write to an existing record on a platform that the change does not name.
 *
 * @throws ChangeRefused `untranslatable` for values that the platform cannot hold
 */
export function stepForCopy(
  context: ChangeContext,
  change: ResolvedChange,
  state: CopyState,
): PlatformIntention {
  const { copy, platform } = state;
  const { entityType } = context;
  const draft: Draft = emptyDraft();
  for (const [field, value] of change.values) put(context, change, state, draft, field, value);
  for (const [field, value] of change.restated) {
    if (change.values.has(field) || !disagrees(context, state, field, value)) continue;
    const tried: Draft = emptyDraft();
    try {
      put(context, change, state, tried, field, value);
      nativeChanges(state, tried, change.pathOf);
      join(draft, tried);
    } catch (error) {
      if (!(error instanceof ChangeRefused)) throw error;
      // The caller did not request another value for this field, so the other fields are written without it.
      draft.left.push({ field, reason: error.message });
    }
  }
  const changes = nativeChanges(state, draft, change.pathOf);
  const effective = changes.filter(({ path, value }) => !sameJson(value, valueAt(copy.payload, path)));
  const { left } = draft;
  if (effective.length === 0 && Object.keys(draft.awaits).length === 0) return { kind: 'unchanged', left };
  return {
    kind: 'write',
    write: {
      variant: copy.variant,
      platformId: copy.platformId,
      base: copy.payload,
      changes: effective,
      referred: referredPayloads(platform, entityType, change.completed, context),
      conversions: draft.conversions,
      references: draft.ids,
      awaits: draft.awaits,
      currencies: { inheritedCurrency: copy.inheritedCurrency, localCurrency: copy.localCurrency },
    },
    left,
  };
}

function join(draft: Draft, more: Draft): void {
  Object.assign(draft.values, more.values);
  Object.assign(draft.references, more.references);
  Object.assign(draft.ids, more.ids);
  Object.assign(draft.awaits, more.awaits);
  draft.fields.push(...more.fields);
  draft.conversions.push(...more.conversions);
  draft.left.push(...more.left);
}

function nativeChanges(
  { mapping, decoded, copy, platform }: CopyState,
  { values, references, fields, left }: Draft,
  pathOf: ResolvedChange['pathOf'],
): readonly NativeChange[] {
  const { changes, issues } = mapping.changesOf(fields, values, {
    references,
    currency: decoded.currency,
    localCurrency: copy.localCurrency,
  });
  if (issues.length > 0) throw untranslatable(namedOn(platform, issues, pathOf));
  const formed = new Set(mapping.fieldsAt(changes.map(({ path }) => path)));
  for (const field of fields) {
    if (formed.has(field) || left.some((one) => one.field === field)) continue;
    left.push(leftFormless(platform, field));
  }
  return changes;
}

function put(
  context: ChangeContext,
  { pathOf, values }: ResolvedChange,
  state: CopyState,
  draft: Draft,
  field: string,
  value: JsonValue,
): void {
  const { mapping, copy, decoded, platform } = state;
  const access = mapping.accessTo(field);
  if (access === undefined) {
    if (value !== null && !isDerived(copy, values, field)) draft.left.push(leftAbsent(platform, field));
    return;
  }
  if (access === 'read' || access === 'create') {
    if (!shows(context, state, field, value)) draft.left.push(leftReadOnly(platform, field));
    return;
  }
  if (fieldsOf(context.entityType)[field]?.refersTo !== undefined) {
    const target = referenceOn(platform, value, context.referredObjects);
    const expected = target === undefined ? expectedOn(platform, value, context.expected) : undefined;
    if (expected !== undefined && value !== (copy.references[field] ?? null)) {
      draft.awaits[field] = expected;
      draft.ids[field] = expected.canonicalId;
    } else if (target === undefined) {
      draft.left.push(leftUnknown(platform, field));
    } else if (value !== (copy.references[field] ?? null)) {
      draft.references[field] = target;
      draft.ids[field] = typeof value === 'string' ? value : null;
      draft.fields.push(field);
    }
    return;
  }
  const present = ownMember(decoded.data, field) ?? null;
  let own = value;
  let conversion: FieldConversion | undefined;
  if (isMoney(value)) {
    const currency = isMoney(present) ? present.currency : decoded.currency;
    const amount = amountIn(currency ?? value.currency, value, context.quotes, pathOf(field));
    own = { ...amount.money };
    conversion = amount.conversion && { field, ...amount.conversion };
  }
  if (sameJson(own, present)) return;
  if (access === 'lines') refuseSeveralLines(state, pathOf(field));
  if (conversion) draft.conversions.push(conversion);
  draft.values[field] = own;
  draft.fields.push(field);
}

/** Whether a record has a value: the same, or an amount that is equal at the rate. */
function shows(
  { entityType, quotes }: ChangeContext,
  { copy, decoded }: CopyState,
  field: string,
  value: JsonValue,
): boolean {
  if (fieldsOf(entityType)[field]?.refersTo !== undefined) return value === (copy.references[field] ?? null);
  const present = ownMember(decoded.data, field) ?? null;
  if (isMoney(present) && isMoney(value)) return equalAtTheRate(value, present, quotes.customer);
  return sameJson(present, value);
}

/** Whether a record derives a field that its platform does not have from its references. */
function isDerived({ derived }: CopyState['copy'], values: FieldValues, field: string): boolean {
  if (derived === undefined || !Object.hasOwn(derived, field)) return false;
  return derived[field] !== null || typeof values.get('invoice_id') === 'string';
}

/**
 * Whether a record's value contradicts the value in the change. An absent value, a value that is equal at the rate, and
 * a value that the platform cannot express differently are no contradiction.
 */
function disagrees(context: ChangeContext, state: CopyState, field: string, value: JsonValue): boolean {
  const known = fieldsOf(context.entityType, context.terms.own)[field];
  if (known === undefined || known.ownToPlatform) return false;
  if (state.mapping.accessTo(field) === undefined) return false;
  if (known.refersTo !== undefined) {
    const present = state.copy.references[field];
    return present !== undefined && present !== value;
  }
  const present = ownMember(state.decoded.data, field) ?? null;
  if (present === null || sameJson(present, value)) return false;
  if (isMoney(present) && isMoney(value)) return !equalAtTheRate(value, present, context.quotes.customer);
  return !context.copies.some(({ mapping, decoded, copy }) =>
    mapping.accessTo(field) === undefined
      ? false
      : mapping.cannotTell(field, value, present, {
          currency: decoded.currency,
          localCurrency: copy.localCurrency,
          inheritedCurrency: copy.inheritedCurrency,
        }),
  );
}

/** A platform's problems with a value, under the field's name in the patch. */
export function namedOn(
  platform: PlatformName,
  issues: readonly FieldIssue[],
  pathOf: (field: string) => string,
): readonly FieldIssue[] {
  return issues.map(({ path, problem }) => ({ path: pathOf(path), problem: `${problem} (on ${platform})` }));
}
