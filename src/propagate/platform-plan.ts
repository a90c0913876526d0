import {
  fieldsOf,
  isMoney,
  mappingOf,
  ownMember,
  platformNames,
  sameJson,
  valueAt,
  variantNameFor,
  type Conversion,
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
import type { PlatformWrite } from './platform-write';
import { amountIn, type Quotes } from './amounts';
import type { CopyState } from './copy-state';
import { refuseSeveralLines } from './native-intent';
import { referredPayloads, type ReferredObjects } from './referred-payloads';
import { untranslatable } from './refusals';

/** What is to happen on one platform. */
export type PlatformPlan =
  | {
      readonly kind: 'write';
      readonly write: PlatformWrite;
      readonly conversion?: Conversion;
      readonly reason?: string;
      /** For a record to be created: the currency of its amounts where it names none. */
      readonly inheritedCurrency?: string;
    }
  | { readonly kind: 'unchanged'; readonly reason?: string }
  | { readonly kind: 'skipped'; readonly reason: string };

/** A change, as it is to reach every platform. */
export interface PlannedChange {
  readonly entityType: StoredEntityType;
  /** Changed fields with their values as written; references as canonical IDs. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** The whole canonical object as it will be, for platforms that do not have it yet. */
  readonly next: JsonObject;
  readonly quotes: Quotes;
  readonly referred: ReferredObjects;
  /** How the caller knows a field, for messages: a native path or the canonical name. */
  readonly pathOf: (field: string) => string;
}

/** What an existing record of another platform is to be changed to. */
export function planForCopy(change: PlannedChange, state: CopyState): PlatformPlan {
  const { mapping, copy, decoded, platform } = state;
  const values: Record<string, JsonValue> = {};
  const references: Record<string, TargetReference | null> = {};
  const fields: string[] = [];
  const reasons: string[] = [];
  let conversion: Conversion | undefined;

  for (const [field, value] of change.values) {
    const access = mapping.accessTo(field);
    if (access === undefined) continue;
    if (access === 'read' || access === 'create') {
      reasons.push(`${platform} does not let ${field} be written`);
      continue;
    }
    if (fieldsOf(change.entityType)[field]?.refersTo !== undefined) {
      const target = referenceOn(platform, value, change.referred);
      if (target === undefined) reasons.push(`what ${field} names does not stand on ${platform}`);
      else if (value !== (copy.references[field] ?? null)) {
        references[field] = target;
        fields.push(field);
      }
      continue;
    }
    const present = ownMember(decoded.data, field) ?? null;
    let own = value;
    if (isMoney(value)) {
      const currency = isMoney(present) ? present.currency : decoded.currency;
      const amount = amountIn(currency ?? value.currency, value, change.quotes, change.pathOf(field));
      own = { ...amount.money };
      if (!sameJson(own, present)) conversion ??= amount.conversion;
    }
    if (sameJson(own, present)) continue;
    if (access === 'lines') refuseSeveralLines(state, change.pathOf(field));
    values[field] = own;
    fields.push(field);
  }

  const { changes, issues } = mapping.changesOf(fields, values, {
    references,
    currency: decoded.currency,
    localCurrency: copy.localCurrency,
  });
  if (issues.length > 0) throw untranslatable(named(issues, platform, change));
  const effective = changes.filter(({ path, value }) => !sameJson(value, valueAt(copy.payload, path)));
  const reason = reasons.length > 0 ? { reason: reasons.join('; ') } : {};
  if (effective.length === 0) return { kind: 'unchanged', ...reason };
  return {
    kind: 'write',
    write: {
      platform,
      entityType: change.entityType,
      variant: copy.variant,
      current: copy.payload,
      changes: effective,
      referred: referredPayloads(platform, change.entityType, change.next, change.referred),
    },
    ...(conversion && { conversion }),
    ...reason,
  };
}

/** What a record on a platform that does not have the object yet is to be made of; or what is missing for that. */
export function planForCreation(
  change: PlannedChange,
  platform: PlatformName,
  connectionCurrency: string,
): PlatformPlan {
  const variant = variantNameFor(platform, change.entityType, change.next) ?? null;
  const mapping = mappingOf(platform, change.entityType, { variant });
  const inherited = inheritedCurrency(change, platform, connectionCurrency);
  // A record that may be given a currency keeps the object's; any other is in what it inherits.
  const free = mapping.options.currency !== undefined && mapping.accessTo('currency') !== 'read';
  const currency = free ? (currencyOf(change.next) ?? inherited) : inherited;
  let conversion: Conversion | undefined;
  const data: Record<string, JsonValue> = {};
  const references: Record<string, TargetReference | null> = {};
  for (const field of mapping.mappedFields) {
    const access = mapping.accessTo(field);
    const value = ownMember(change.next, field) ?? null;
    if (access === 'read' || value === null) continue;
    if (isMoney(value)) {
      const amount = amountIn(currency, value, change.quotes, change.pathOf(field));
      conversion ??= amount.conversion;
      data[field] = { ...amount.money };
    } else if (fieldsOf(change.entityType)[field]?.refersTo === undefined) {
      data[field] = value;
    } else {
      const target = referenceOn(platform, value, change.referred);
      if (target) references[field] = target;
    }
  }
  const missing = mapping.options.requiredToCreate.filter(
    (field) => data[field] === undefined && references[field] === undefined,
  );
  if (missing.length > 0) {
    return { kind: 'skipped', reason: `to be created on ${platform} it needs ${missing.join(', ')}` };
  }
  const context: EncodeContext = { references, currency, localCurrency: connectionCurrency };
  const { changes, issues } = creationChanges(mapping, data, context);
  if (issues.length > 0) throw untranslatable(named(issues, platform, change));
  return {
    kind: 'write',
    write: {
      platform,
      entityType: change.entityType,
      variant,
      current: undefined,
      changes,
      referred: referredPayloads(platform, change.entityType, change.next, change.referred),
    },
    inheritedCurrency: inherited,
    ...(conversion && { conversion }),
  };
}

/** What a new record would inherit on a platform: the currency of its contract there, of its project, of the connection. */
function inheritedCurrency(
  { next, referred }: PlannedChange,
  platform: PlatformName,
  connection: string,
): string {
  for (const field of ['contract_id', 'project_id']) {
    const id = ownMember(next, field);
    const object = typeof id === 'string' ? referred.get(id) : undefined;
    const copy = object?.copies.find((candidate) => candidate.platform === platform);
    if (object === undefined || copy === undefined) continue;
    const { currency, namesCurrency } = mappingOf(platform, object.entityType, {
      variant: copy.variant,
    }).decode(copy.payload, copy);
    if (namesCurrency && currency !== undefined) return currency;
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
  // Without this a record whose data names no currency would take the template's.
  const named = currency === undefined || changes.some(({ path }) => sameJson(path, currency));
  return named || context.currency === undefined
    ? { changes, issues }
    : { changes: [...changes, { path: currency, value: context.currency }], issues };
}

function currencyOf(data: JsonObject): string | undefined {
  if (typeof data.currency === 'string') return data.currency;
  return isMoney(data.amount) ? data.amount.currency : undefined;
}

/** How a platform names the object with a canonical ID: undefined when it does not have it, null for no object. */
export function referenceOn(
  platform: PlatformName,
  id: JsonValue,
  referred: ReferredObjects,
): TargetReference | null | undefined {
  if (typeof id !== 'string') return null;
  const object = referred.get(id);
  const copy = object?.copies.find((candidate) => candidate.platform === platform);
  if (object === undefined || copy === undefined) return undefined;
  const { data } = mappingOf(platform, object.entityType, { variant: copy.variant }).decode(
    copy.payload,
    copy,
  );
  return { id: copy.platformId, key: typeof data.number === 'string' ? data.number : undefined };
}

// A problem of another platform with a value is told by the field the caller wrote.
function named(
  issues: readonly FieldIssue[],
  platform: PlatformName,
  { pathOf }: PlannedChange,
): readonly FieldIssue[] {
  return issues.map(({ path, problem }) => ({ path: pathOf(path), problem: `${problem} (on ${platform})` }));
}

/** Platforms in order of precedence. */
export function inPrecedence<Item extends { readonly platform: PlatformName }>(
  items: readonly Item[],
): readonly Item[] {
  return [...items].sort(
    (one, other) => platformNames.indexOf(one.platform) - platformNames.indexOf(other.platform),
  );
}
