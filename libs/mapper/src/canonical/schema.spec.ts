import { entityTypes, isEntityType, isStoredEntityType, withArticle } from './entity-type';
import { canBeNull, indispensable, oneOf, text } from './field';
import { phraseOf, typesOf, type ValueSchema } from './schema';

describe('the phrase of a schema', () => {
  it.each<[ValueSchema, string]>([
    [{ type: 'string' }, 'a string'],
    [{ type: ['integer', 'string'] }, 'an integer'],
    [{ type: [] }, 'a string'],
    [{ type: 'string', values: ['draft', 'paid'] }, 'one of draft, paid'],
    [{ type: 'string', maxLength: 35 }, 'a string of at most 35 characters'],
    [{ type: 'string', noun: 'a code', maxLength: 5 }, 'a code, at most 5 characters in all'],
    [{ type: 'number', multipleOf: 0.01 }, 'a number in steps of 0.01'],
    [{ type: 'string', examples: ['x', 'y'] }, 'a string, such as "x"'],
    [
      { type: 'string', noun: 'a date', format: 'date', examples: ['2026-02-01'] },
      'a date such as "2026-02-01"',
    ],
    [{ type: ['number', 'string'] }, 'a number, or decimal text'],
    [{ type: ['string', 'number'] }, 'a string'],
    [{ type: ['number', 'boolean'] }, 'a number'],
  ])('of %j is “%s”', (schema, phrase) => {
    expect(phraseOf(schema)).toBe(phrase);
  });

  it('is made of one type or of several', () => {
    expect([typesOf({ type: 'array' }), typesOf({ type: ['number', 'string'] })]).toEqual([
      ['array'],
      ['number', 'string'],
    ]);
  });
});

describe('a canonical type', () => {
  it('is one of nine, of which five are stored', () => {
    expect(['project', 'budget_line_item', 'toString', '', 'projects'].map(isEntityType)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(entityTypes.filter(isStoredEntityType)).toEqual([
      'project',
      'customer',
      'contract',
      'invoice',
      'payment',
    ]);
  });

  it('has its article in a sentence', () => {
    expect(
      (['invoice', 'employee', 'payment', 'budget_line_item'] as const).map((type) => withArticle(type)),
    ).toEqual(['an invoice', 'an employee', 'a payment', 'a budget_line_item']);
  });
});

describe('a field', () => {
  it('can be null unless the record means nothing without it, or it is one of a set', () => {
    expect([text('T.'), indispensable(text('T.')), oneOf('O.', ['a'])].map(canBeNull)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
