import {
  CUSTOM,
  entityTypes,
  fieldsOf,
  idPrefixes,
  storedEntityTypes,
  typesOf,
  withArticle,
  type EntityType,
  type JsonObject,
} from '@app/mapper';
import { canonicalSchemaName, schema, unionSchema } from './schema-names';

type Field = ReturnType<typeof fieldsOf>[string];

/** Named schemas of the canonical types and of what they are made of, derived from the mapper's field tables. */
export function canonicalSchemas(): Record<string, JsonObject> {
  return {
    Money: money,
    Address: address,
    DocumentLine: documentLine,
    ProviderRecord: providerRecord,
    ...Object.fromEntries(entityTypes.map((type) => [canonicalSchemaName(type), canonicalSchema(type)])),
    CanonicalObject: oneOf('An object of any of the nine types.', entityTypes),
    StoredObject: oneOf('An object of one of the five types that are stored.', storedEntityTypes),
  };
}

function oneOf(description: string, types: readonly EntityType[]): JsonObject {
  return unionSchema(
    description,
    'object',
    types.map((type) => [type, canonicalSchemaName(type)]),
  );
}

function canonicalSchema(entityType: EntityType): JsonObject {
  return {
    type: 'object',
    description: `${/^[aeiou]/.test(entityType) ? 'An' : 'A'} ${entityType.replaceAll('_', ' ')} in canonical form. A field that no platform has is missing; a field that is empty on its platform is null.`,
    required: ['id', 'object', 'external_ids'],
    properties: {
      id: {
        type: 'string',
        description: 'Canonical ID: opaque behind its prefix, unique within a customer.',
        pattern: `^${idPrefixes[entityType]}_[0-9A-Za-z]{16,}$`,
      },
      // Generators of clients know a list of one better than a constant.
      object: { type: 'string', enum: [entityType], description: 'The entity type.' },
      ...Object.fromEntries(
        Object.entries(fieldsOf(entityType)).map(([name, field]) => [name, fieldSchema(field)]),
      ),
      [CUSTOM]: ownFieldsSchema(`${OWN_FIELDS} Missing where it has none.`),
      external_ids: {
        type: 'object',
        description: 'The native ID on each platform that has the record, by the platform’s name.',
        additionalProperties: { type: 'string' },
      },
      provider_metadata: {
        type: 'object',
        description:
          'What each platform’s record holds beyond the canonical fields, by the platform’s name. Sent in `context.provider_metadata`, it lets the translation back restore the original record.',
        additionalProperties: schema('ProviderRecord'),
      },
    },
  };
}

/** What the customer's own fields are, in descriptions. */
export const OWN_FIELDS = 'The customer’s own fields, by name: see `/fields`.';

/** The customer's own fields. @param money name of the schema of amounts */
export function ownFieldsSchema(
  description: string,
  { money: amount = 'Money' }: { readonly money?: string } = {},
): JsonObject {
  return {
    type: 'object',
    description,
    additionalProperties: {
      anyOf: [{ type: 'string' }, { type: 'boolean' }, schema(amount), { type: 'null' }],
    },
  };
}

/** The values of a field. @param money name of the schema of amounts */
export function fieldSchema(
  { description, refersTo, indispensable, schema: value }: Field,
  { money: amount = 'Money' }: { readonly money?: string } = {},
): JsonObject {
  const { type, values, format, pattern, named, description: form } = value;
  if (values !== undefined) {
    return {
      description: `${description} \`unknown\` stands for a platform’s value that is not listed here; it cannot be written.`,
      anyOf: [{ type: 'string', enum: [...values, 'unknown'] }, { type: 'null' }],
    };
  }
  const sentences = [
    description,
    indispensable && 'It cannot be cleared.',
    form,
    refersTo && `Canonical ID of ${withArticle(refersTo)}.`,
    type === 'array' && 'Read only here: lines are changed on their platform.',
  ];
  const described = { description: sentences.filter((sentence) => sentence).join(' ') };
  if (type === 'array') {
    return { type: ['array', 'null'], ...described, ...(named && { items: schema(named) }) };
  }
  if (named !== undefined) {
    return { ...described, anyOf: [schema(named === 'Money' ? amount : named), { type: 'null' }] };
  }
  return {
    type: [...typesOf(value), 'null'],
    ...described,
    ...(format && { format }),
    ...(pattern !== undefined && { pattern }),
  };
}

const decimalPattern = '^-?\\d+(\\.\\d+)?$';

const money: JsonObject = {
  type: 'object',
  description: 'An amount of money.',
  required: ['amount', 'currency'],
  properties: {
    amount: {
      type: 'integer',
      format: 'int64',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'In minor units of the currency: cents of a dollar, fils of a Bahraini dinar (ISO 4217 exponent).',
      examples: [170000000],
    },
    currency: {
      type: 'string',
      pattern: '^[A-Z]{3}$',
      description: 'ISO 4217 code.',
      examples: ['USD'],
    },
  },
};

const address: JsonObject = {
  type: 'object',
  description: 'A postal address.',
  properties: Object.fromEntries(
    Object.entries({
      line1: 'Street.',
      line2: 'Second line.',
      city: 'City.',
      state: 'State or province.',
      postal_code: 'Postal code.',
      country: 'Country, as the platform writes it.',
    }).map(([part, description]) => [part, { type: ['string', 'null'], description }]),
  ),
};

const documentLine: JsonObject = {
  type: 'object',
  description: 'One line of a contract, an invoice or a change order.',
  properties: {
    id: { type: ['string', 'null'], description: 'Native ID of the line.' },
    position: { type: ['integer', 'null'], description: 'Position in the document, counted from 1.' },
    description: { type: ['string', 'null'], description: 'What the line is for.' },
    quantity: { type: ['string', 'null'], pattern: decimalPattern, description: 'Quantity, decimal text.' },
    unit_price: {
      type: ['string', 'null'],
      pattern: decimalPattern,
      description: 'Price of one unit, decimal text.',
    },
    uom: { type: ['string', 'null'], description: 'Unit of measure.' },
    amount: { description: 'Amount of the line.', anyOf: [schema('Money'), { type: 'null' }] },
    budget_code: { type: ['string', 'null'], description: 'Budget or cost code that the line is booked on.' },
  },
};

const providerRecord: JsonObject = {
  type: 'object',
  description: 'The part of a platform’s record beyond the canonical data. Both together restore the record.',
  required: ['fields'],
  properties: {
    variant: {
      type: 'string',
      description: 'The record’s resource, if the platform has several for the type.',
    },
    fields: {
      type: 'object',
      additionalProperties: true,
      description: 'Native fields without a canonical field.',
    },
    literals: {
      type: 'object',
      additionalProperties: true,
      description: 'Spellings that the canonical value cannot restore, by native path.',
    },
    absent: {
      type: 'array',
      items: { type: 'string' },
      description: 'Native paths that were absent although their canonical field has a value.',
    },
    returns: {
      type: 'object',
      additionalProperties: true,
      description:
        'Canonical fields that come back from the other platform with another value, and that value.',
    },
    currency: {
      type: 'string',
      description:
        'The currency of a record that names none, if the other platform has its amounts in another one. An amount that was edited there is refused without `targetCurrency`.',
    },
    lines: {
      type: 'object',
      description: 'The same for each line of a list, by the native path of the list.',
      additionalProperties: { type: 'array', items: schema('ProviderRecord') },
    },
    of: {
      type: 'string',
      description:
        'For a line: a digest of its content. This part is restored to a line with the same content, or else to a line with the same ID.',
    },
  },
};
