import {
  entityTypes,
  fieldsOf,
  mappingOf,
  type Access,
  type EntityType,
  type JsonObject,
  type PlatformName,
} from '@app/mapper';
import { payloadSchemaNamesOf, schema, type PayloadSchemaName } from './schema-names';

/** What a mapping says of one canonical field. */
type Described = ReturnType<ReturnType<typeof mappingOf>['describe']>[number];

/** Platforms that have a blank of their own for each type, and no null. */
const withoutNull: ReadonlySet<PlatformName> = new Set(['platform_b']);

/** Named schemas of every payload of both platforms, derived from the mapper's tables. */
export function payloadSchemas(): Record<string, JsonObject> {
  const names = payloadSchemaNamesOf(entityTypes);
  return {
    ...Object.fromEntries(names.map((name) => [name.name, payloadSchema(name)])),
    PlatformPayload: {
      description:
        'A record in a platform’s own shape. Which one it is, its platform and entity type tell. Any JSON object is taken and kept: a platform may add fields, and may hold values that are not as described.',
      anyOf: [...names.map(({ name }) => schema(name)), { type: 'object', additionalProperties: true }],
    },
  };
}

function payloadSchema({ platform, entityType, variant }: PayloadSchemaName): JsonObject {
  const mapping = mappingOf(platform, entityType, { variant });
  const properties: Properties = {};
  const { id } = mapping.options;
  put(properties, id.path, { ...idSchema(platform), description: 'Native ID. Not for clients to write.' });
  for (const described of mapping.describe()) putField(properties, platform, entityType, described);
  for (const path of mapping.options.fixed ?? []) {
    put(properties, path, { description: 'Kept as it is. Not for clients to write.' });
  }
  const kind = variant === undefined ? entityType.replaceAll('_', ' ') : `contract (${variant})`;
  return {
    ...objectOf(properties, platform),
    description: `A ${kind} on ${platform}, where its resource is \`${mapping.resource}\`. Fields that are not named here are kept for ${platform} alone.`,
  };
}

/** Native fields by name; of an object, its members. */
interface Properties {
  [name: string]: { readonly schema: JsonObject; readonly members?: Properties };
}

function objectOf(properties: Properties, platform: PlatformName): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, { schema, members }]) => [
        name,
        members ? { ...objectOf(members, platform), ...orNull('object', platform), ...schema } : schema,
      ]),
    ),
    additionalProperties: true,
  };
}

function orNull(type: string, platform: PlatformName): JsonObject {
  return { type: withoutNull.has(platform) ? type : [type, 'null'] };
}

function put(properties: Properties, path: string, schema: JsonObject): void {
  // An OData annotation is one name, with a point in it.
  const [first = '', ...others] = path.startsWith('@') ? [path] : path.split('.');
  const known = properties[first];
  if (others.length === 0) {
    // The first field that stands at a path tells more about it than those that share it.
    if (known === undefined) properties[first] = { schema };
    return;
  }
  const members = known?.members ?? {};
  put(members, others.join('.'), schema);
  properties[first] = { schema: known?.schema ?? { description: `Holds ${first}.*` }, members };
}

function putField(
  properties: Properties,
  platform: PlatformName,
  entityType: EntityType,
  { field, paths, expects, access, members }: Described,
): void {
  const meaning = fieldsOf(entityType)[field]?.description ?? '';
  paths.forEach((path, index) => {
    if (members !== undefined) {
      const line: Properties = {};
      for (const member of members) putMember(line, platform, member);
      put(properties, path, {
        ...orNull('array', platform),
        description: `${meaning} Changed on the platform only.`,
        items: objectOf(line, platform),
      });
      return;
    }
    put(properties, path, describedAs(valueSchema(platform, expects, index), meaning, field, access));
  });
}

function putMember(
  properties: Properties,
  platform: PlatformName,
  { field, paths, expects }: Described,
): void {
  paths.forEach((path, index) => {
    put(properties, path, describedAs(valueSchema(platform, expects, index), '', `lines.${field}`, 'write'));
  });
}

function describedAs(value: JsonObject, meaning: string, field: string, access: Access): JsonObject {
  const { description: unit, ...rest } = value;
  const sentences = [
    meaning,
    typeof unit === 'string' ? unit : '',
    accesses[access],
    `Canonical: \`${field}\`.`,
  ];
  return { ...rest, description: sentences.filter((sentence) => sentence !== '').join(' ') };
}

const accesses: Readonly<Record<Access, string>> = {
  write: '',
  create: 'Set when the record is created, and not after.',
  read: 'Not for clients to write.',
  lines: 'Computed from the lines; with one line or none it can be written, and the line follows.',
};

/** What stands at one of the native paths of a field. The mapper describes them together, so this takes them apart. */
function valueSchema(platform: PlatformName, expects: string, index: number): JsonObject {
  const [only = expects, currency] = expects.split(', and its ');
  if (currency !== undefined) {
    return index === 0
      ? form(platform, 'a number, such as 1250.5', signOf(only))
      : form(platform, `an ISO 4217 ${currency} code`);
  }
  const sources = expects.split(/ \(by (?:id|key)\)(?:, else )?/).filter((source) => source !== '');
  return form(platform, sources[index] ?? sources[0] ?? expects);
}

function signOf(expects: string): string {
  return expects.includes('opposite sign') ? 'Of the opposite sign: a receipt is negative.' : '';
}

function form(platform: PlatformName, expects: string, more = ''): JsonObject {
  const [, longest] = /^a string of at most (\d+) characters$/.exec(expects) ?? [];
  const known = longest === undefined ? forms.get(expects) : { type: 'string', maxLength: Number(longest) };
  if (known === undefined) throw new Error(`No schema is known for a native field that expects ${expects}`);
  const { type, description: unit, ...rest } = known;
  const description = typeof unit === 'string' ? unit : '';
  const types = [type ?? []].flat();
  return {
    ...rest,
    type: withoutNull.has(platform) ? (types.length === 1 ? (types[0] ?? null) : types) : [...types, 'null'],
    description: [description, more].filter((sentence) => sentence !== '').join(' '),
  };
}

function idSchema(platform: PlatformName): JsonObject {
  return withoutNull.has(platform)
    ? { type: 'string', format: 'uuid' }
    : { type: ['integer', 'string'], format: 'int64' };
}

const decimalText = 'Decimal text in units of the record’s currency or measure.';
const decimalNumber = 'In units of the record’s currency or measure, at most 15 significant digits.';

// By the words that the mapper's codecs describe their values with; a codec with other words fails every test.
const forms: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['a string', { type: 'string' }],
  ['text or null in each part', { type: 'string' }],
  ['text in each part', { type: 'string' }],
  ['a date such as "2026-02-01"', { type: 'string', format: 'date' }],
  ['a time such as "2026-01-15T10:02:11Z"', { type: 'string', format: 'date-time' }],
  ['an ISO 4217 currency code', { type: 'string', description: 'ISO 4217 code.' }],
  [
    'a decimal number as text, such as "1250.00"',
    { type: 'string', description: decimalText, examples: ['1250.00'] },
  ],
  ['a number, such as 1250.5', { type: 'number', description: decimalNumber, examples: [1250.5] }],
  [
    'a number, such as 1250.5, or decimal text',
    { type: ['number', 'string'], description: decimalNumber, examples: [1250.5] },
  ],
  ['an integer', { type: ['integer', 'string'] }],
  ['a line number in steps of 10000', { type: 'integer', multipleOf: 10000 }],
  ['true or false', { type: 'boolean' }],
  ['an integer ID within 2^53-1', { type: ['integer', 'string'], format: 'int64' }],
  ['a GUID', { type: 'string', format: 'uuid' }],
  ['the contract number in front of the last slash', { type: 'string' }],
  [
    'contract number, slash and number, at most 35 characters in all',
    { type: 'string', maxLength: 35, description: 'Contract number, slash and number.' },
  ],
]);
