import {
  entityTypes,
  fieldsOf,
  idPrefixes,
  storedEntityTypes,
  withArticle,
  type EntityType,
  type JsonObject,
} from '@app/mapper';
import { canonicalSchemaName, schema } from './schema-names';

type Field = ReturnType<typeof fieldsOf>[string];

/** Named schemas of the nine canonical types and of what they are made of, derived from the mapper's field tables. */
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
  const references = types.map((type) => [type, schema(canonicalSchemaName(type))] as const);
  return {
    description,
    oneOf: references.map(([, reference]) => reference),
    discriminator: {
      propertyName: 'object',
      mapping: Object.fromEntries(references.map(([type, { $ref }]) => [type, $ref])),
    },
  };
}

function canonicalSchema(entityType: EntityType): JsonObject {
  return {
    type: 'object',
    description: `A ${entityType.replaceAll('_', ' ')} in canonical form. A field that no platform tells is left out; one that is told to be empty is null.`,
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
      external_ids: {
        type: 'object',
        description: 'The native ID on each platform that has the record, by the platform’s name.',
        additionalProperties: { type: 'string' },
      },
      provider_metadata: {
        type: 'object',
        description:
          'What each platform’s record holds beyond the canonical fields, by the platform’s name. Handed back in `context.provider_metadata`, it makes the way back whole.',
        additionalProperties: schema('ProviderRecord'),
      },
    },
  };
}

function fieldSchema(field: Field): JsonObject {
  const { description, words, refersTo, indispensable, expects } = field;
  if (words !== undefined) {
    return {
      description: `${description} \`unknown\` stands for a word of a platform’s that is not listed here; nobody may write it.`,
      anyOf: [{ type: 'string', enum: [...words, 'unknown'] }, { type: 'null' }],
    };
  }
  if (refersTo !== undefined) {
    return {
      type: ['string', 'null'],
      description: `${description} Canonical ID of ${withArticle(refersTo)}.`,
    };
  }
  const form = forms.get(expects);
  if (form === undefined) throw new Error(`No schema is known for a field that expects ${expects}`);
  const business = indispensable ? ' A change may not clear it.' : '';
  return form(`${description}${business}`);
}

const text = (more: JsonObject = {}) => {
  return (description: string): JsonObject => ({ type: ['string', 'null'], description, ...more });
};
const reference = (name: string) => {
  return (description: string): JsonObject => ({ description, anyOf: [schema(name), { type: 'null' }] });
};

// By the words that the field tables describe a field's values with; a field with other words fails every test.
const forms: ReadonlyMap<string, (description: string) => JsonObject> = new Map([
  ['a string', text()],
  ['a date such as "2026-02-01"', text({ format: 'date' })],
  ['a time such as "2026-01-15T10:02:11Z"', text({ format: 'date-time' })],
  ['an ISO 4217 currency code', text({ pattern: '^[A-Z]{3}$' })],
  [
    'a decimal number as text, such as "7.5"',
    (description) => text({ pattern: decimalPattern })(`${description} Decimal text, never rounded.`),
  ],
  ['an integer', (description) => ({ type: ['integer', 'null'], description, format: 'int64' })],
  ['true or false', (description) => ({ type: ['boolean', 'null'], description })],
  [
    'money such as { "amount": 170000, "currency": "USD" }, the amount an integer of minor units',
    reference('Money'),
  ],
  [
    'an object with any of line1, line2, city, state, postal_code, country, each text or null',
    reference('Address'),
  ],
  [
    'a list of lines',
    (description) => ({
      type: ['array', 'null'],
      description: `${description} Read only here: lines are changed on their platform.`,
      items: schema('DocumentLine'),
    }),
  ],
]);

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
    position: { type: ['integer', 'null'], description: 'Place in the document, counted from 1.' },
    description: { type: ['string', 'null'], description: 'What the line is for.' },
    quantity: { type: ['string', 'null'], pattern: decimalPattern, description: 'Quantity, decimal text.' },
    unit_price: {
      type: ['string', 'null'],
      pattern: decimalPattern,
      description: 'Price of one unit, decimal text.',
    },
    uom: { type: ['string', 'null'], description: 'Unit of measure.' },
    amount: { description: 'Amount of the line.', anyOf: [schema('Money'), { type: 'null' }] },
    budget_code: { type: ['string', 'null'], description: 'Budget or cost code the line is booked on.' },
  },
};

const providerRecord: JsonObject = {
  type: 'object',
  description:
    'What a platform’s record holds beyond the canonical data, so that both together give the record back.',
  required: ['fields'],
  properties: {
    variant: {
      type: 'string',
      description: 'Which of a platform’s several resources for the type the record was.',
    },
    fields: {
      type: 'object',
      additionalProperties: true,
      description: 'Native fields without a canonical home.',
    },
    literals: {
      type: 'object',
      additionalProperties: true,
      description: 'Spellings that the canonical value does not give back, by native path.',
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
        'Canonical fields that the other platform gives back otherwise than they stand here, and the value it gives.',
    },
    lines: {
      type: 'object',
      description: 'The same for each line of a list, by the native path of the list.',
      additionalProperties: { type: 'array', items: schema('ProviderRecord') },
    },
  },
};
