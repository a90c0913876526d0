import {
  businessKeyOf,
  fieldsOf,
  isMoney,
  isOwnFieldName,
  mappingOf,
  ownMember,
  sameJson,
  UNKNOWN_CURRENCY,
  variantNameFor,
  type EncodeContext,
  type FieldIssue,
  type JsonObject,
  type JsonValue,
  type Mapping,
  type NativeChange,
  type PlatformName,
  type StoredEntityType,
  type TargetReference,
} from '@app/mapper';
import type { LeftField } from '../../../outbox/command/left-field';
import { amountIn } from '../amounts';
import type { ChangeContext, ConnectedPlatform } from '../context/change-context';
import { namedOn } from './copy-step';
import { expectedOn, type ExpectedRecord } from '../state/expected-record';
import { whyNotCreated } from './create-missing';
import { leftAbsent, leftReadOnly, leftUnknown } from './left-field';
import type { FieldConversion, PlatformIntention } from './platform-step';
import { referenceOn, referredPayloads } from '../state/referred';
import { untranslatable } from '../refusal';
import type { ResolvedChange } from '../resolved/resolved-change';

/**
 * The creation on a platform that lacks the object, or the reason why there is none.
 *
 * @throws ChangeRefused `untranslatable` for values that the platform cannot hold
 */
export function stepForCreation(
  context: ChangeContext,
  change: ResolvedChange,
  connected: ConnectedPlatform,
): PlatformIntention {
  const { entityType, resolved, earlier, requested, terms } = context;
  const { platform } = connected;
  if (earlier.some((command) => command.platform === platform && command.creates && command.held)) {
    return {
      kind: 'skipped',
      reason: `it was sent to ${platform} before, and a person must look what came of it`,
    };
  }
  if (context.goneFrom.includes(platform)) {
    // A user deleted the record there. A change of its linked record does not request its return.
    return { kind: 'skipped', reason: `it was deleted on ${platform}` };
  }
  const forbidden = whyNotCreated(platform, {
    entityType,
    requested: requested.createMissing,
    level: terms.createMissing,
  });
  if (forbidden !== undefined) return { kind: 'skipped', reason: forbidden };
  // A request that asks for the record gets it, also where it sends present values again.
  if (change.values.size === 0 && requested.createMissing !== true) {
    return {
      kind: 'skipped',
      reason: `${platform} has no such ${entityType}; a change of a canonical field would create it there`,
    };
  }
  const key = businessKeyOf(entityType, change.next);
  if (key !== undefined && resolved.keyTakenOn.has(platform)) {
    return {
      kind: 'skipped',
      reason: `another ${entityType} on ${platform} has the same ${key.field} already, or may get it`,
    };
  }
  return creation(context, change, connected);
}

function creation(
  context: ChangeContext,
  change: ResolvedChange,
  { platform, currency: connectionCurrency }: ConnectedPlatform,
): PlatformIntention {
  const { entityType, terms } = context;
  const { completed, pathOf } = change;
  const variant = variantNameFor(platform, entityType, completed) ?? null;
  const mapping = mappingOf(platform, entityType, { variant, own: terms.own });
  const inherited = inheritedCurrency(entityType, completed, context, platform, connectionCurrency);
  const currency = currencyToWrite(mapping, completed, inherited);
  const content = newContent(context, change, { platform, mapping, currency });
  const { data, references, awaits } = content;
  const left = leftFields(entityType, change, { platform, mapping, content });
  const missing = mapping.requiredToCreate.filter((field) => !sets(content, field));
  if (missing.length > 0) {
    return { kind: 'skipped', reason: `to be created on ${platform} it needs ${missing.join(', ')}` };
  }
  const { changes, issues } = creationChanges(mapping, data, {
    references,
    currency,
    localCurrency: connectionCurrency,
  });
  if (issues.length > 0) throw untranslatable(namedOn(platform, issues, pathOf));
  return {
    kind: 'write',
    write: {
      variant,
      platformId: null,
      base: undefined,
      changes,
      referred: referredPayloads(platform, entityType, completed, context),
      conversions: content.conversions,
      references: content.ids,
      awaits,
      currencies: { inheritedCurrency: inherited, localCurrency: connectionCurrency },
    },
    left,
  };
}

/**
 * The currency in which a new record is written; undefined if it is not known. A record with a writable currency keeps
 * the object's currency. Any other record uses the currency that it inherits.
 */
function currencyToWrite(mapping: Mapping, object: JsonObject, inherited: string): string | undefined {
  const free = mapping.options.currency !== undefined && mapping.accessTo('currency') !== 'read';
  const named = free ? (currencyOf(object) ?? inherited) : inherited;
  return named === UNKNOWN_CURRENCY ? undefined : named;
}

/** The values that a new record gets, by canonical field. */
interface NewContent {
  /** Amounts are in the currency of the record. */
  readonly data: JsonObject;
  readonly references: Readonly<Record<string, TargetReference>>;
  /** Fields that refer to a record that does not exist yet. */
  readonly awaits: Readonly<Record<string, ExpectedRecord>>;
  /** Canonical IDs of the objects behind `references` and `awaits`. */
  readonly ids: Readonly<Record<string, string>>;
  readonly conversions: readonly FieldConversion[];
}

interface NewRecord {
  readonly platform: PlatformName;
  readonly mapping: Mapping;
  /** Undefined if it is not known. */
  readonly currency: string | undefined;
}

/** @throws ChangeRefused `untranslatable` for an amount while the record's currency is not known */
function newContent(
  { entityType, quotes, referredObjects, expected: expectedRecords }: ChangeContext,
  { values, completed, pathOf }: ResolvedChange,
  { platform, mapping, currency }: NewRecord,
): NewContent {
  const conversions: FieldConversion[] = [];
  const data: Record<string, JsonValue> = {};
  const references: Record<string, TargetReference> = {};
  const ids: Record<string, string> = {};
  const awaits: Record<string, ExpectedRecord> = {};
  for (const field of mapping.mappedFields) {
    // A value of this change is converted once, from the patch and not from another platform's conversion.
    const value = values.get(field) ?? ownMember(completed, field) ?? null;
    if (isNotSet(mapping, field) || value === null) continue;
    if (isMoney(value)) {
      if (currency === undefined) throw untranslatable([inUnknownCurrency(pathOf(field), platform)]);
      const { money, conversion } = amountIn(currency, value, quotes, pathOf(field));
      if (conversion) conversions.push({ field, ...conversion });
      data[field] = { ...money };
    } else if (fieldsOf(entityType)[field]?.refersTo === undefined) {
      data[field] = value;
    } else {
      const target = referenceOn(platform, value, referredObjects);
      const expected = target ? undefined : expectedOn(platform, value, expectedRecords);
      if (target) references[field] = target;
      if (expected) awaits[field] = expected;
      if ((target || expected) && typeof value === 'string') ids[field] = value;
    }
  }
  return { data, references, ids, awaits, conversions };
}

function sets({ data, references, awaits }: NewContent, field: string): boolean {
  return data[field] !== undefined || references[field] !== undefined || awaits[field] !== undefined;
}

/** The fields that the change names and that the new record does not get, with the reason for each. */
function leftFields(
  entityType: StoredEntityType,
  { values, restated, completed }: ResolvedChange,
  { platform, mapping, content }: Pick<NewRecord, 'platform' | 'mapping'> & { readonly content: NewContent },
): readonly LeftField[] {
  return [...new Set([...values.keys(), ...restated.keys()])].flatMap((field): LeftField[] => {
    const value = values.get(field) ?? ownMember(completed, field) ?? null;
    const known = fieldsOf(entityType)[field];
    if (value === null || sets(content, field) || known?.ownToPlatform) return [];
    const access = mapping.accessTo(field);
    if (access !== undefined && isNotSet(mapping, field)) return [leftReadOnly(platform, field)];
    if (access !== undefined) return [leftUnknown(platform, field)];
    // A payment shows the number of its invoice.
    const isDerived = field === 'invoice_number' && content.ids.invoice_id !== undefined;
    return values.has(field) && !isDerived ? [leftAbsent(platform, field)] : [];
  });
}

/** Whether a new record gets no value in a field. The platform may take an own field for existing records only. */
function isNotSet(mapping: Mapping, field: string): boolean {
  if (mapping.accessTo(field) === 'read') return true;
  return isOwnFieldName(field) && mapping.whyNotCreated(field) !== undefined;
}

function inUnknownCurrency(path: string, platform: PlatformName): FieldIssue {
  return { path, problem: `the contract or project on ${platform} has a currency that is not known` };
}

/**
 * The currency that a new record would inherit on a platform: from its contract there, the contract's project, its own
 * project, the invoice that it pays, the customer of the payment, or the connection. If a parent's currency cannot be
 * read, the result is unknown.
 */
function inheritedCurrency(
  entityType: StoredEntityType,
  object: JsonObject,
  { referredObjects, expected }: Pick<ChangeContext, 'referredObjects' | 'expected'>,
  platform: PlatformName,
  connection: string,
): string {
  const recordOf = (id: JsonValue | undefined) => {
    const resolved = typeof id === 'string' ? referredObjects.get(id) : undefined;
    const copy = resolved?.copies.find((candidate) => candidate.platform === platform);
    if (resolved !== undefined && copy !== undefined) return { entityType: resolved.entityType, copy };
    const coming = expectedOn(platform, id, expected);
    return coming && { entityType: coming.entityType, copy: coming };
  };
  const contract = recordOf(ownMember(object, 'contract_id'));
  const parents = [
    contract,
    recordOf(contract?.copy.references.project_id),
    recordOf(ownMember(object, 'project_id')),
    ...(entityType === 'payment'
      ? [recordOf(ownMember(object, 'invoice_id')), recordOf(ownMember(object, 'customer_id'))]
      : []),
  ];
  for (const parent of parents) {
    if (parent === undefined) continue;
    const { copy } = parent;
    const mapping = mappingOf(platform, parent.entityType, { variant: copy.variant });
    const { currency, namesCurrency } = mapping.readOnce(copy.payload, copy);
    if (namesCurrency) return currency ?? UNKNOWN_CURRENCY;
    // A payment of an invoice without a currency does not inherit its customer's currency.
    if (parent.entityType === 'invoice') return connection;
  }
  return connection;
}

function creationChanges(
  mapping: Mapping,
  data: JsonObject,
  context: EncodeContext,
): { changes: readonly NativeChange[]; issues: readonly FieldIssue[] } {
  const fields = [...Object.keys(data), ...Object.keys(context.references ?? {})];
  const currency = mapping.options.currency?.split('.');
  const { changes, issues } = mapping.changesOf(fields, data, context);
  // Otherwise a record whose data names no currency would get the template's.
  const named = currency === undefined || changes.some(({ path }) => sameJson(path, currency));
  return named || context.currency === undefined
    ? { changes, issues }
    : { changes: [...changes, { path: currency, value: context.currency }], issues };
}

function currencyOf(data: JsonObject): string | undefined {
  if (typeof data.currency === 'string') return data.currency;
  return isMoney(data.amount) ? data.amount.currency : undefined;
}
