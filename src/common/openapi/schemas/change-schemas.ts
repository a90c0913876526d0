import {
  CUSTOM,
  fieldsOf,
  isJsonObject,
  ownObject,
  storedEntityTypes,
  type JsonObject,
  type StoredEntityType,
} from '@app/mapper';
import { fieldSchema, OWN_FIELDS, ownFieldsSchema } from './canonical-schemas';
import { canonicalSchemaName, schema, unionSchema } from './schema-names';

/** Name of the schema of changes in canonical form: the union of those of all stored types. */
const CANONICAL_CHANGE = 'CanonicalChange';

const changeName = (type: StoredEntityType): string => `${canonicalSchemaName(type)}Change`;
const fieldsName = (type: StoredEntityType): string => `${canonicalSchemaName(type)}Fields`;

/**
 * Named schemas of changes in canonical form, in which the type says which fields there are.
 *
 * @param described the schemas that decorators describe; their `CanonicalChange` has the members that all types share
 */
export function changeSchemas(described: JsonObject): Record<string, JsonObject> {
  const shared = described[CANONICAL_CHANGE];
  if (!isJsonObject(shared)) throw new Error('No operation describes changes in canonical form');
  return {
    MoneyChange: moneyChange,
    ...Object.fromEntries(storedEntityTypes.map((type) => [fieldsName(type), changedFields(type)])),
    ...Object.fromEntries(storedEntityTypes.map((type) => [changeName(type), changeOf(type, shared)])),
    [CANONICAL_CHANGE]: unionSchema(
      'A change in canonical form. `entity_type` says which fields `data` may have.',
      'entity_type',
      storedEntityTypes.map((type) => [type, changeName(type)]),
    ),
  };
}

function changeOf(type: StoredEntityType, shared: JsonObject): JsonObject {
  return {
    ...shared,
    properties: {
      ...ownObject(shared, 'properties'),
      entity_type: { type: 'string', enum: [type], description: 'What is changed.' },
      data: schema(fieldsName(type)),
    },
  };
}

/** What an object shows may be sent back as it is, so a value that cannot be written is described as well. */
function changedFields(type: StoredEntityType): JsonObject {
  const fields = Object.entries(fieldsOf(type));
  return {
    type: 'object',
    description:
      'The fields to change, as a JSON merge patch (RFC 7396): null clears a field. `GET /schema` says which of them each platform takes.',
    properties: {
      ...Object.fromEntries(
        fields.map(([name, field]) => [name, fieldSchema(field, { money: 'MoneyChange' })]),
      ),
      [CUSTOM]: ownFieldsSchema(OWN_FIELDS, { money: 'MoneyChange' }),
    },
    additionalProperties: false,
  };
}

const moneyChange: JsonObject = {
  type: 'object',
  description: 'An amount of money. What is left out stays as it is.',
  properties: {
    amount: {
      type: 'integer',
      format: 'int64',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'In minor units of the currency.',
    },
    currency: { type: 'string', pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.' },
  },
};
