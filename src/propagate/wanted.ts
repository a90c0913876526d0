import {
  businessKeyOf,
  fieldsOf,
  isMoney,
  keyFieldsOf,
  ownMember,
  type JsonObject,
  type JsonValue,
  type NativeReference,
} from '@app/mapper';
import type { Store } from '../database/store';
import { ApiError } from '../errors/api-error';
import { amountIn } from './amounts';
import { authorityOn, refuseUnwritable } from './authority';
import type { Change } from './change';
import { canonicalIntent, type FieldValues } from './intent';
import { nativeIntent, refuseSeveralLines, type NativeIntent } from './native-intent';
import { findCanonical, findReferred, isKeyTaken } from './propagations.repository';
import { untranslatable } from './refusals';
import type { Scene } from './scene';

/** What a change comes to. */
export interface Wanted {
  /** Changed canonical fields with their values as they were written; references as canonical IDs. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** The canonical object as it will be: amounts in its own currency. */
  readonly next: JsonObject;
  /** For a change in native form: what is written to the platform it was made for. */
  readonly native: NativeIntent | undefined;
  /** How the caller knows a field: a native path, or the canonical name. */
  readonly pathOf: (field: string) => string;
}

/**
 * Reads out of a change what it wants of the object.
 *
 * @throws ApiError 400 for fields that cannot be written, 409 for a key that another object has, 422 for values that
 *   do not fit, in this order
 */
export async function readWanted(
  store: Store,
  customerId: string,
  scene: Scene,
  change: Change,
): Promise<Wanted> {
  const { entityType, canonical, origin, copies } = scene;
  const native = origin && nativeIntent(entityType, origin, change.patch);
  const intent = native ?? canonicalIntent(entityType, canonical, change.patch);
  const pathOf = (field: string): string =>
    native && origin ? (native.paths.get(field) ?? origin.mapping.pathOf(field) ?? field) : field;

  const changed = [...intent.fields.keys(), ...(native?.references.keys() ?? [])];
  for (const field of changed) refuseUnwritable(entityType, field, copies, pathOf);
  await refuseConflicts(store, customerId, scene, intent.fields, pathOf);
  if (intent.problems.length > 0) throw untranslatable(intent.problems);
  for (const field of changed) {
    if (origin?.mapping.accessTo(field) === 'lines') refuseSeveralLines(origin, pathOf(field));
  }

  const values = native
    ? new Map([...native.fields, ...(await resolveNative(store, customerId, scene, native))])
    : await resolveCanonical(store, customerId, scene, intent.fields);
  return { values, next: nextCanonical(scene, values, pathOf), native, pathOf };
}

/**
 * Refuses a key that another object has already on a platform where this one stands.
 *
 * @throws ApiError CONFLICT_ERROR
 */
async function refuseConflicts(
  store: Store,
  customerId: string,
  { entityType, object, canonical, copies }: Scene,
  fields: FieldValues,
  pathOf: Wanted['pathOf'],
): Promise<void> {
  const changedKeys = keyFieldsOf(entityType).filter((field) => fields.has(field));
  if (changedKeys.length === 0) return;
  const entries = changedKeys.map((field): [string, JsonValue] => [field, fields.get(field) ?? null]);
  const key = businessKeyOf(entityType, { ...canonical, ...Object.fromEntries(entries) });
  if (key === undefined || key.normal === businessKeyOf(entityType, canonical)?.normal) return;
  const platforms = copies.map(({ platform }) => platform);
  if (await isKeyTaken(store, customerId, entityType, key.normal, object.id, platforms)) {
    throw new ApiError(
      'CONFLICT_ERROR',
      `Another ${entityType} already has data.${pathOf(key.field)} ${JSON.stringify(key.text)}`,
    );
  }
}

function nextCanonical(scene: Scene, values: Wanted['values'], pathOf: Wanted['pathOf']): JsonObject {
  const { canonical, copies, origin, quotes } = scene;
  const next: Record<string, JsonValue> = { ...canonical };
  for (const [field, value] of values) {
    const authority = authorityOn(field, copies);
    // The platform whose amount counts may have been given another currency with it.
    if (!isMoney(value) || authority === undefined || authority === origin) {
      next[field] = value;
      continue;
    }
    const present = ownMember(canonical, field);
    const currency = isMoney(present) ? present.currency : authority.decoded.currency;
    next[field] = { ...amountIn(currency ?? value.currency, value, quotes, pathOf(field)).money };
  }
  return next;
}

async function resolveNative(
  store: Store,
  customerId: string,
  { origin, entityType }: Scene,
  { references, paths }: NativeIntent,
): Promise<readonly [string, JsonValue][]> {
  if (origin === undefined) return [];
  const { platform, mapping } = origin;
  const named = [...references].filter((entry): entry is [string, NativeReference] => entry[1] !== undefined);
  const ids = await findReferred(
    store,
    customerId,
    platform,
    named.map(([, reference]) => reference),
  );
  const known = fieldsOf(entityType);
  return [...references].flatMap(([field, reference]): [string, JsonValue][] => {
    if (reference === undefined) return [[field, null]];
    const id = ids[named.findIndex(([name]) => name === field)];
    // Another way of naming what it refers to already: a code in other letters.
    if (id !== undefined) return id === origin.copy.references[field] ? [] : [[field, id]];
    // Text that merely tells a number (an invoice number) may name something that is not there.
    const toldByText = mapping
      .fieldsAt([reference.path.split('.')])
      .some((name) => known[name]?.refersTo === undefined);
    if (toldByText) return [[field, null]];
    throw untranslatable([
      {
        path: paths.get(field) ?? reference.path,
        problem: `names no single ${reference.refersTo} on ${platform}`,
      },
    ]);
  });
}

async function resolveCanonical(
  store: Store,
  customerId: string,
  { entityType }: Scene,
  intent: ReadonlyMap<string, JsonValue>,
): Promise<ReadonlyMap<string, JsonValue>> {
  const known = fieldsOf(entityType);
  const references = [...intent].flatMap(([field, value]): [string, string][] =>
    known[field]?.refersTo !== undefined && typeof value === 'string' ? [[field, value]] : [],
  );
  if (references.length === 0) return intent;
  const found = await findCanonical(
    store,
    customerId,
    references.map(([, id]) => id),
  );
  const resolved = new Map(intent);
  for (const [field, id] of references) {
    const target = found.get(id);
    if (target === undefined || target.entityType !== known[field]?.refersTo) {
      throw untranslatable([
        { path: field, problem: `no ${known[field]?.refersTo ?? 'object'} has this ID` },
      ]);
    }
    resolved.set(field, target.id);
  }
  return resolved;
}
