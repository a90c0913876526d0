import {
  assembleObject,
  inPrecedence,
  mappingOf,
  ownMember,
  sameJson,
  shownField,
  stringifyJson,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { LoadedObject, StoredCopy } from '../../../records/loaded-object';
import { nativeValuesOf } from '../../../outbox/history/native-values';
import { leftMember, type LeftField } from '../../../outbox/command/left-field';
import { fieldKeptIn, referenceFields } from '../../../records/platform-records/incoming-record';
import type { ChangeContext } from '../context/change-context';
import { extraValues } from './extra-values';
import { versionOfObject } from '../context/known-version';
import { reasonOf } from '../steps/left-field';
import type { FieldConversion, PlannedWrite, PlatformStep } from '../steps/platform-step';
import { copyOn } from '../state/referred';
import type { ResolvedChange } from '../resolved/resolved-change';

/**
 * How far a change has come on one platform:
 * - `applied`: the platform has made the change;
 * - `unchanged`: the platform's record has the values already;
 * - `pending`: a command waits in the outbox or is being sent;
 * - `uncertain`: a command was sent, and its effect is not known yet;
 * - `rejected`: the platform refused the change, or a person discarded a command that may have been sent;
 * - `skipped`: nothing was sent, for a reason that the outcome names, such as a missing record that the change does not
 *   create, a refusal by the leading platform, or a person who discarded the command;
 * - `held`: a person must decide.
 */
export type OutcomeStatus =
  | 'applied'
  | 'unchanged'
  | 'pending'
  | 'uncertain'
  | 'rejected'
  | 'skipped'
  | 'held';

/** What became of a write. */
export type StepOutcome =
  | { readonly status: 'applied'; readonly payload: JsonObject }
  | { readonly status: 'pending' }
  | { readonly status: 'rejected' | 'skipped' | 'held'; readonly reason: string };

/** A step of the plan, and what became of its write. */
export interface StepResult {
  readonly step: PlatformStep;
  /** Undefined for a step without a write. */
  readonly outcome: StepOutcome | undefined;
}

/** What happened on one platform. */
export interface PlatformOutcome {
  readonly platform: PlatformName;
  readonly status: OutcomeStatus;
  /** The record, if the platform has one. */
  readonly copy: StoredCopy | undefined;
  readonly reason: string | undefined;
  /** Fields that the change names and that the record does not adopt. */
  readonly left: readonly LeftField[];
  readonly conversions: readonly FieldConversion[];
  /** Whether the write creates the record, at once or once it is sent. */
  readonly created: boolean;
  /** Native paths that were written. */
  readonly written: readonly JsonPath[];
}

/** The result of a change so far. */
export interface ChangeResult {
  /** In order of precedence. */
  readonly outcomes: readonly PlatformOutcome[];
  /** The object with its records at that point. */
  readonly after: LoadedObject;
  /** The canonical object. */
  readonly object: JsonObject;
  /** Its version. */
  readonly version: string;
  readonly updatedFields: readonly string[];
  /** Records to store. */
  readonly changed: readonly StoredCopy[];
  /** Whether there is anything to store. */
  readonly changesAnything: boolean;
}

/** The result of a change, given the result of each step. Pure: it works for expected and for actual results. */
export function resultOf(
  context: ChangeContext,
  change: ResolvedChange,
  results: readonly StepResult[],
): ChangeResult {
  const outcomes = inPrecedence(results.map((result) => outcomeOf(context, result)));
  const changed = outcomes.flatMap(({ status, copy }) =>
    copy !== undefined && (status === 'applied' || status === 'pending') ? [copy] : [],
  );
  const copies = inPrecedence([
    ...context.object.copies.filter((copy) => !changed.some(({ platform }) => platform === copy.platform)),
    ...changed,
  ]);
  const open = outcomes.some(({ status }) => status === 'pending');
  const refused = outcomes.some(({ status }) => status === 'rejected' || status === 'held');
  // An intent that every platform rejected is reverted completely.
  const takenBack = refused && changed.length === 0 && !open;
  const extra = takenBack ? context.object.extra : extraValues(context.object, change, copies, context.terms);
  const after: LoadedObject = { ...context.object, copies, extra };
  const assembled = assembleObject(after, context.terms);
  const { object } = assembled;
  return {
    outcomes,
    after,
    object,
    version: versionOfObject(after, assembled),
    updatedFields: updatedFields(context, change, object),
    changed,
    changesAnything: changed.length > 0 || open || refused || !sameJson(extra, context.object.extra),
  };
}

/** The canonical fields that a change touched and that have a new value. */
export function updatedFields(
  { canonical }: Pick<ChangeContext, 'canonical'>,
  { values, restated }: ResolvedChange,
  object: JsonObject,
): readonly string[] {
  return [...new Set([...values.keys(), ...restated.keys()])].filter(
    (field) => !sameJson(shownField(object, field) ?? null, ownMember(canonical, field) ?? null),
  );
}

function outcomeOf(context: ChangeContext, { step, outcome }: StepResult): PlatformOutcome {
  const { platform } = step;
  const left = step.kind === 'write' || step.kind === 'unchanged' ? step.left : [];
  const reason = step.kind === 'skipped' || step.kind === 'rejected' ? step.reason : reasonOf(left);
  const present = context.copies.find((state) => state.platform === platform)?.copy;
  const base = { platform, copy: present, reason, left, conversions: [], created: false, written: [] };
  if (step.kind !== 'write') return { ...base, status: step.kind };
  if (outcome === undefined) throw new Error(`Nothing is known of the write to ${platform}`);
  const { write } = step;
  const sent = {
    created: write.base === undefined,
    conversions: write.conversions,
    written: write.changes.map(({ path }) => path),
  };
  switch (outcome.status) {
    case 'applied': {
      // The platform may accept a write and keep its value, such as a code that differs only in case.
      if (present && sameJson(outcome.payload, present.payload)) return { ...base, status: 'unchanged' };
      const copy = writtenCopy(context, platform, write, present, outcome.payload);
      return { ...base, ...sent, status: 'applied', copy };
    }
    case 'pending': {
      if (present === undefined) return { ...base, ...sent, status: 'pending' };
      const shown = writtenCopy(context, platform, write, present, step.predicted);
      const { known, payloadText } = present;
      const copy = { ...shown, known, payloadText, accepted: stringifyJson(step.predicted) };
      return { ...base, ...sent, status: 'pending', copy };
    }
    default:
      return { ...base, status: outcome.status, reason: outcome.reason };
  }
}

function writtenCopy(
  { entityType, referredObjects }: ChangeContext,
  platform: PlatformName,
  write: PlannedWrite,
  present: StoredCopy | undefined,
  payload: JsonObject,
): StoredCopy {
  const decoded = mappingOf(platform, entityType, { variant: write.variant }).readOnce(
    payload,
    write.currencies,
  );
  const references: Record<string, string> = {};
  for (const field of referenceFields.map((columns) => fieldKeptIn(entityType, columns))) {
    if ((decoded.references[field] ?? []).length === 0) continue;
    const id = Object.hasOwn(write.references, field) ? write.references[field] : present?.references[field];
    if (typeof id === 'string') references[field] = id;
  }
  return {
    platform,
    platformId: present?.platformId ?? decoded.nativeId ?? '',
    variant: write.variant,
    payload,
    payloadText: stringifyJson(payload),
    known: payload,
    accepted: null,
    ...write.currencies,
    references,
    ...(entityType === 'payment' && {
      derived: { invoice_number: invoiceNumber(referredObjects, present, references.invoice_id, platform) },
    }),
  };
}

// The value that a later read returns: the number of the invoice on the payment's own platform.
function invoiceNumber(
  referredObjects: ChangeContext['referredObjects'],
  present: StoredCopy | undefined,
  id: string | undefined,
  platform: PlatformName,
): JsonValue {
  // A payment's change does not affect its invoice.
  const known = present?.derived?.invoice_number;
  if (known !== undefined && id === present?.references.invoice_id) return known;
  const copy = copyOn(platform, id ?? '', referredObjects);
  if (copy === undefined) return null;
  const { number } = mappingOf(platform, 'invoice').readOnce(copy.payload, copy).data;
  return typeof number === 'string' ? number : null;
}

/** The canonical fields that were written on a platform. */
export function writtenFields(
  entityType: StoredEntityType,
  { platform, copy, written }: Pick<PlatformOutcome, 'platform' | 'copy' | 'written'>,
): readonly string[] {
  return mappingOf(platform, entityType, { variant: copy?.variant }).fieldsAt(written);
}

/**
 * The part of an outcome that the history of changes keeps.
 *
 * @param present the platform's record before the change
 */
export function storedOutcomeOf(
  { entityType, terms }: Pick<ChangeContext, 'entityType' | 'terms'>,
  { platform, status, reason, left, conversions, copy, created, written }: PlatformOutcome,
  present: StoredCopy | undefined,
): JsonObject {
  const [first] = conversions;
  return {
    status,
    ...(copy && { platform_id: copy.platformId }),
    ...(reason !== undefined && { reason }),
    ...leftMember(left),
    ...(created && { created }),
    ...(status === 'applied' &&
      copy !== undefined &&
      nativeValuesOf(
        { platform, entityType, variant: copy.variant, currencies: copy },
        present?.payload,
        copy.payload,
        written,
        terms.own,
      )),
    ...(first && { conversion: conversionIn(first), conversions: conversions.map((one) => ({ ...one })) }),
  };
}

/** The conversion of one amount, without its field. */
export function conversionIn({
  field: _field,
  ...conversion
}: FieldConversion): Omit<FieldConversion, 'field'> {
  return conversion;
}
