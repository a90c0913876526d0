import type { ValueSchema } from './schema';

/** A calendar day, `YYYY-MM-DD`. */
export const dateSchema: ValueSchema = {
  type: 'string',
  noun: 'a date',
  format: 'date',
  examples: ['2026-02-01'],
};

/** An instant of RFC 3339. */
export const timestampSchema: ValueSchema = {
  type: 'string',
  noun: 'a time',
  format: 'date-time',
  examples: ['2026-01-15T10:02:11Z'],
};

/** The code of a currency. */
export const currencySchema: ValueSchema = {
  type: 'string',
  noun: 'an ISO 4217 currency code',
  description: 'ISO 4217 code.',
};

/** A whole number. */
export const integerSchema: ValueSchema = { type: 'integer' };

/** True or false. */
export const truthSchema: ValueSchema = { type: 'boolean' };

/** The lines of a document. */
export const linesSchema: ValueSchema = { type: 'array', noun: 'a list of lines', named: 'DocumentLine' };

/** A decimal number as text. */
export function decimalTextSchema(example: string, description: string) {
  return { type: 'string', noun: 'a decimal number as text', examples: [example], description } as const;
}
