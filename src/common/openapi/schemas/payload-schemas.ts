import {
  entityTypes,
  fieldsOf,
  mappingOf,
  pathFrom,
  platformOf,
  typesOf,
  type Access,
  type DescribedPlace,
  type EntityType,
  type FieldDescription,
  type JsonObject,
  type JsonPath,
  type Platform,
} from '@app/mapper';
import { payloadSchemaNamesOf, schema, type PayloadSchemaName } from './schema-names';

/** Named schemas of every payload of all platforms, made from the schemas of the mapper's codecs. */
export function payloadSchemas(): Record<string, JsonObject> {
  const names = payloadSchemaNamesOf(entityTypes);
  return {
    ...Object.fromEntries(names.map((name) => [name.name, payloadSchema(name)])),
    PlatformPayload: {
      description:
        'A record in a platform’s own format, which depends on platform and entity type. Any JSON object is accepted and kept, because a platform may add fields and may hold values that differ from this description.',
      anyOf: [...names.map(({ name }) => schema(name)), { type: 'object', additionalProperties: true }],
    },
  };
}

function payloadSchema({ platform: name, entityType, variant }: PayloadSchemaName): JsonObject {
  const mapping = mappingOf(name, entityType, { variant });
  const platform = platformOf(name);
  const properties: Properties = {};
  const { resource } = mapping;
  const { id } = mapping.options;
  const { type, format } = id.schema;
  put(properties, pathFrom(id.path), {
    type,
    ...(format && { format }),
    description: 'Native ID. Read-only.',
  });
  for (const described of mapping.describe()) putField(properties, platform, entityType, described);
  for (const path of resource.fixedPaths) {
    put(properties, path, { description: 'Kept as it is. Read-only.' });
  }
  const words = entityType.replaceAll('_', ' ');
  const kind = variant === undefined ? words : `${words} (${variant})`;
  return {
    ...objectOf(properties, platform),
    description: `${/^[aeiou]/.test(kind) ? 'An' : 'A'} ${kind} on ${name}, where its resource is \`${resource.name}\`. Fields that are not named here are kept for ${name} alone.`,
  };
}

/** Native fields by name; of an object, its members. */
interface Properties {
  [name: string]: { readonly schema: JsonObject; readonly members?: Properties };
}

function objectOf(properties: Properties, platform: Platform): JsonObject {
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

function orNull(type: string, { blank }: Platform): JsonObject {
  return { type: blank === 'null' ? [type, 'null'] : type };
}

function put(properties: Properties, path: JsonPath, schema: JsonObject): void {
  const [first = '', ...others] = path;
  const known = properties[first];
  if (others.length === 0) {
    // The first field at a path describes it better than later fields with the same path.
    if (known === undefined) properties[first] = { schema };
    return;
  }
  const members = known?.members ?? {};
  put(members, others, schema);
  properties[first] = { schema: known?.schema ?? { description: `Holds ${first}.*` }, members };
}

function putField(
  properties: Properties,
  platform: Platform,
  entityType: EntityType,
  { field, places, access, members }: FieldDescription,
): void {
  const meaning = fieldsOf(entityType)[field]?.description ?? '';
  for (const place of places) {
    put(
      properties,
      pathFrom(place.path),
      members === undefined
        ? describedAs(valueSchema(place, platform), meaning, field, access)
        : linesSchema(members, platform, meaning),
    );
  }
}

function linesSchema(members: readonly FieldDescription[], platform: Platform, meaning: string): JsonObject {
  const line: Properties = {};
  for (const { field, places } of members) {
    for (const place of places) {
      const described = describedAs(valueSchema(place, platform), '', `lines.${field}`, 'write');
      put(line, pathFrom(place.path), described);
    }
  }
  return {
    ...orNull('array', platform),
    description: `${meaning} Changed on the platform only.`,
    items: objectOf(line, platform),
  };
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
  create: 'Can be set only when the record is created.',
  read: 'Read-only.',
  lines: 'Computed from the lines; with one line or none it can be written, and the line follows.',
};

/** The schema of a value in the form of the API's description. */
function valueSchema({ schema: value }: DescribedPlace, { blank }: Platform): JsonObject {
  const { format, maxLength, multipleOf, description = '', examples } = value;
  const types = typesOf(value);
  const [only] = types;
  return {
    ...(format && { format }),
    ...(maxLength !== undefined && { maxLength }),
    ...(multipleOf !== undefined && { multipleOf }),
    // A value with a format needs no example.
    ...(examples && format === undefined && { examples }),
    type: blank === 'null' ? [...types, 'null'] : types.length === 1 && only !== undefined ? only : types,
    description,
  };
}
