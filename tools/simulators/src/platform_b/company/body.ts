import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '@app/mapper';
import type { EntitySet } from '../model/entity-set';
import { fitted, type FitRules } from '../model/fit';
import { badRequest, refusedByRule } from '../odata-error';
import type { Switches } from '../switches';

/** A body whose names and types are right: its fields in the order in which they are validated. */
export interface Body {
  readonly fields: ReadonlyMap<string, JsonValue>;
  /** Records for the pages inside, in a deep insert. */
  readonly parts: ReadonlyMap<string, readonly JsonObject[]>;
}

/** What a body is for. */
export interface BodyRules extends FitRules {
  readonly order: 'body' | 'page';
  /** Whether it may hold records of the pages inside. */
  readonly deep: boolean;
  /** Read-only fields that are let through, for the page's own rules to decide. */
  readonly letThrough: readonly string[];
}

/** The rules that the switches make. */
export function fitRulesOf(switches: Switches): FitRules {
  return {
    nullIsBlank: switches.get('nullInBodies') === 'blank',
    decimalsAsText: switches.get('ieee754Compatible'),
  };
}

/**
 * Checks a body against a page.
 *
 * @throws ODataError 400 for names that the page does not have, read-only fields and unfit values
 */
export function checkedBody(set: EntitySet, json: JsonObject, rules: BodyRules): Body {
  const given = new Map<string, JsonValue>();
  const parts = new Map<string, readonly JsonObject[]>();
  for (const [name, value] of Object.entries(json)) {
    // Annotations are no fields, and an etag in the body has no effect.
    if (name.includes('@') || name === 'If-Match') continue;
    const part = set.parts.get(name);
    if (part?.many && rules.deep) {
      parts.set(name, recordsOf(value));
      continue;
    }
    const field = set.fields.get(name);
    if (field === undefined) {
      throw badRequest(
        `Invalid Request Body. The property '${name}' does not exist on type 'Microsoft.NAV.${set.type}'.`,
      );
    }
    if (!field.writable && !rules.letThrough.includes(name)) {
      throw badRequest(`Control '${name}' is read-only.`, 'BadRequest_InvalidOperation');
    }
    given.set(name, fitted(name, field, value, rules));
  }
  return { fields: rules.order === 'page' ? inPageOrder(set, given) : given, parts };
}

function inPageOrder(set: EntitySet, given: ReadonlyMap<string, JsonValue>): ReadonlyMap<string, JsonValue> {
  const ordered = new Map<string, JsonValue>();
  for (const name of set.fields.keys()) {
    const value = given.get(name);
    if (value !== undefined) ordered.set(name, value);
  }
  return ordered;
}

function recordsOf(value: JsonValue): readonly JsonObject[] {
  if (isJsonArray(value) && value.every(isJsonObject)) return value;
  throw badRequest('Invalid Request Body');
}

/** @throws ODataError when the body changes a field that only a new record takes; the same value is let through */
export function checkUnchanged(body: Body, values: JsonObject, field: string, message: string): void {
  const value = body.fields.get(field);
  if (value !== undefined && value !== values[field]) throw refusedByRule(message);
}
