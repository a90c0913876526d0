import {
  isJsonArray,
  isJsonObject,
  ownMember,
  ownObject,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';

/** Levels of references that are followed. The description has no schema that contains itself. */
const DEEPEST = 12;

/** Members of the description's schemas that say nothing about arguments. */
const ofDescription: ReadonlySet<string> = new Set(['$ref', 'discriminator', 'example']);

/**
 * The schema of a tool's arguments, from the description of the corresponding operation: its path and query parameters,
 * or the members of its body. So a tool accepts the same values as the API.
 *
 * @param document the OpenAPI document
 * @param without names that the tool does not accept
 */
export function inputSchemaOf(
  document: JsonObject,
  operationId: string,
  without: readonly string[] = [],
): JsonObject {
  const operation = operationIn(document, operationId);
  const body = at(operation, 'requestBody', 'content', 'application/json', 'schema');
  const { properties, required } = isJsonObject(body)
    ? membersOf(objectIn(resolved(document, body, 0)))
    : parametersOf(document, operation);
  const kept = Object.entries(properties).filter(([name]) => !without.includes(name));
  return {
    type: 'object',
    properties: Object.fromEntries(kept),
    required: required.filter((name) => !without.includes(name)),
    additionalProperties: false,
  };
}

/** A schema with further arguments; an argument of the same name is replaced. */
export function withArguments(
  schema: JsonObject,
  more: Readonly<Record<string, JsonObject>>,
  required: readonly string[] = [],
): JsonObject {
  return {
    ...schema,
    properties: { ...ownObject(schema, 'properties'), ...more },
    required: [...listAt(schema, 'required'), ...required],
  };
}

interface Members {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

function operationIn(document: JsonObject, operationId: string): JsonObject {
  const all = Object.values(ownObject(document, 'paths')).flatMap((path) => Object.values(objectIn(path)));
  const found = all.map(objectIn).find((operation) => ownMember(operation, 'operationId') === operationId);
  if (found === undefined) throw new Error(`The description has no operation ${operationId}`);
  return found;
}

function parametersOf(document: JsonObject, operation: JsonObject): Members {
  const parameters = listAt(operation, 'parameters').flatMap((one) => {
    const parameter = objectIn(one);
    const [name, place, description] = ['name', 'in', 'description'].map((member) => at(parameter, member));
    if (typeof name !== 'string' || place === 'header') return [];
    const schema = objectIn(resolved(document, at(parameter, 'schema'), 0));
    const isRequired = at(parameter, 'required') === true;
    return [{ name, isRequired, schema: { ...schema, ...(description !== null && { description }) } }];
  });
  return {
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
  };
}

/**
 * The members of a body. A body with several forms has the members of all forms, and requires only those that every form
 * requires.
 */
function membersOf(schema: JsonObject): Members {
  const forms = formsOf(schema);
  const properties: Record<string, JsonValue> = {};
  for (const form of forms) {
    for (const [name, member] of Object.entries(ownObject(form, 'properties'))) {
      properties[name] = Object.hasOwn(properties, name) ? joined(properties[name], member) : member;
    }
  }
  const [first = [], ...others] = forms.map((form) => listAt(form, 'required').filter(isText));
  return { properties, required: first.filter((name) => others.every((names) => names.includes(name))) };
}

/** The forms of a body, including those of nested forms. */
function formsOf(schema: JsonObject): readonly JsonObject[] {
  const several = listAt(schema, 'oneOf').map(objectIn);
  return several.length === 0 ? [schema] : several.flatMap(formsOf);
}

/**
 * The schema of a member that two forms of a body have. If their enumerations differ, it has the values of both,
 * without a description, which would fit only one form.
 */
function joined(one: JsonValue | undefined, other: JsonValue): JsonValue {
  const [values, more] = [listAt(objectIn(one ?? null), 'enum'), listAt(objectIn(other), 'enum')];
  const both = [...new Set([...values, ...more])];
  if (both.length === values.length) return one ?? other;
  const rest = Object.entries(objectIn(one ?? null)).filter(([name]) => name !== 'description');
  return { ...Object.fromEntries(rest), enum: both };
}

function resolved(document: JsonObject, schema: JsonValue, level: number): JsonValue {
  if (level > DEEPEST) throw new Error('A schema of the description is too deep for a tool');
  if (isJsonArray(schema)) return schema.map((one) => resolved(document, one, level));
  if (!isJsonObject(schema)) return schema;
  const own = Object.fromEntries(
    Object.entries(schema).flatMap(([name, member]) =>
      ofDescription.has(name) ? [] : [[name, resolved(document, member, level)] as const],
    ),
  );
  const reference = ownMember(schema, '$ref');
  if (!isText(reference)) return withOneTypeEach(own);
  const named = at(document, ...reference.replace(/^#\//, '').split('/'));
  return { ...objectIn(resolved(document, named, level + 1)), ...own };
}

/**
 * Splits a schema with several types into one branch for each type. Some models accept only schemas with one type, and
 * drop the argument otherwise.
 */
function withOneTypeEach(schema: JsonObject): JsonObject {
  const types = listAt(schema, 'type');
  if (types.length === 0) return schema;
  const { description, ...rest } = schema;
  const branches = types.map((type) => (type === 'null' ? { type } : { ...rest, type }));
  return { ...(description !== undefined && { description }), anyOf: branches };
}

/** The value at a path of member names; null if there is none. */
function at(value: JsonValue, ...names: readonly string[]): JsonValue {
  return names.reduce<JsonValue>((found, name) => ownMember(objectIn(found), name) ?? null, value);
}

function listAt(value: JsonObject, name: string): readonly JsonValue[] {
  const member = at(value, name);
  return isJsonArray(member) ? member : [];
}

function objectIn(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string';
}
