import {
  businessKeyOf,
  fieldsOf,
  isMoney,
  keyFieldsOf,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { amountIn } from '../amounts';
import { authorityOn } from './authority';
import type { RequestedChange, ChangeContext } from '../context/change-context';
import type { FieldValues } from '../intent/canonical-intent';
import { withInvoiceNumber } from './invoice-number';
import { refuseSeveralLines } from '../intent/native-intent';
import { withDerivedReferences } from '../state/referred';
import { conflicting, untranslatable } from '../refusal';

/** A change whose names are resolved to canonical IDs and whose values were checked against the object. */
export interface ResolvedChange {
  /** Changed canonical fields with their values in the original spelling; references as canonical IDs. */
  readonly values: FieldValues;
  /** Fields with their present value. They are sent to platforms that have another value. */
  readonly restated: FieldValues;
  /** The canonical object after the change: amounts in its own currency. */
  readonly next: JsonObject;
  /**
   * Like `next`, completed with references that only the objects around it have, for platforms that lack the object.
   */
  readonly completed: JsonObject;
  /** See {@link RequestedChange.pathOf}. */
  readonly pathOf: RequestedChange['pathOf'];
}

/**
 * Resolves the references and keys of a change.
 *
 * @throws ChangeRefused `conflict` for a key that another object has, `untranslatable` for invalid values, in this order
 */
export function resolveChange(context: ChangeContext): ResolvedChange {
  const { entityType, origin, requested } = context;
  const { pathOf } = requested;
  const changed = [...requested.fields.keys(), ...requested.references.keys()];
  refuseTakenKey(context);
  if (requested.problems.length > 0) throw untranslatable(requested.problems);
  for (const field of changed) {
    if (origin?.mapping.accessTo(field) === 'lines') refuseSeveralLines(origin, pathOf(field));
  }
  const resolved = origin ? resolvedNatively(context) : resolvedCanonically(context);
  const values = withInvoiceNumber(context, resolved);
  const next = nextCanonical(context, values);
  return {
    values,
    restated: requested.restated,
    next,
    completed: withDerivedReferences(entityType, next, context.referredObjects),
    pathOf,
  };
}

function refuseTakenKey({ entityType, canonical, copies, requested, resolved }: ChangeContext): void {
  const changed = keyFieldsOf(entityType).filter((field) => requested.fields.has(field));
  if (changed.length === 0) return;
  const entries = changed.map((field): [string, JsonValue] => [field, requested.fields.get(field) ?? null]);
  const key = businessKeyOf(entityType, { ...canonical, ...Object.fromEntries(entries) });
  if (key === undefined || key.normal === businessKeyOf(entityType, canonical)?.normal) return;
  if (!copies.some(({ platform }) => resolved.keyTakenOn.has(platform))) return;
  throw conflicting(
    `Another ${entityType} already has data.${requested.pathOf(key.field)} ${JSON.stringify(key.text)}`,
  );
}

function nextCanonical(context: ChangeContext, values: FieldValues): JsonObject {
  const { entityType, canonical, origin, quotes, requested } = context;
  const next: Record<string, JsonValue> = { ...canonical };
  for (const [field, value] of requested.restated) {
    if (fieldsOf(entityType)[field]?.refersTo !== undefined) next[field] = value;
  }
  for (const [field, value] of values) {
    const authority = authorityOn(field, context);
    // The change may also have given the leading platform's amount another currency.
    if (!isMoney(value) || authority === undefined || authority === origin) {
      next[field] = value;
      continue;
    }
    const present = ownMember(canonical, field);
    const currency = isMoney(present) ? present.currency : authority.decoded.currency;
    next[field] = { ...amountIn(currency ?? value.currency, value, quotes, requested.pathOf(field)).money };
  }
  return next;
}

function resolvedNatively({ origin, entityType, requested, resolved }: ChangeContext): FieldValues {
  const values = new Map(requested.fields);
  if (origin === undefined) return values;
  const { platform, mapping, copy } = origin;
  const known = fieldsOf(entityType);
  for (const [field, reference] of requested.references) {
    const id = resolved.native.get(field);
    if (reference === undefined) values.set(field, null);
    // A different name for the present reference changes nothing, such as a code in another case.
    else if (id !== undefined) {
      if (id !== copy.references[field]) values.set(field, id);
    } else {
      // Text that repeats a number (an invoice number) may refer to a record that does not exist.
      const isText = mapping
        .fieldsAt([reference.path.split('.')])
        .some((name) => known[name]?.refersTo === undefined);
      if (!isText) {
        const problem = `names no single ${reference.refersTo} on ${platform}`;
        throw untranslatable([{ path: requested.pathOf(field), problem }]);
      }
      values.set(field, null);
    }
  }
  return values;
}

function resolvedCanonically({ entityType, requested, resolved: found }: ChangeContext): FieldValues {
  const known = fieldsOf(entityType);
  const resolved = new Map(requested.fields);
  for (const [field, value] of requested.fields) {
    const refersTo = known[field]?.refersTo;
    if (refersTo === undefined || typeof value !== 'string') continue;
    const target = found.canonical.get(value);
    if (target === undefined || target.entityType !== refersTo) {
      throw untranslatable([{ path: field, problem: `no ${refersTo} has this ID` }]);
    }
    resolved.set(field, target.id);
  }
  return resolved;
}
