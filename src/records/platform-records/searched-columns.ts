import {
  cutText,
  exponentOf,
  foldText,
  isMoney,
  isStorableText,
  ownMember,
  type JsonObject,
  type Money,
  type StoredEntityType,
} from '@app/mapper';
import { documentDateField } from './type-traits';
import { namingFields } from './naming-fields';

/** The number of characters of a text that are searched. Words after them are not found. */
const LONGEST_TEXT = 200;

// An entry of an index holds some 2,000 bytes, and NFKC makes eighteen characters of some.
const LONGEST_WORD = 100;

/** The columns of a record by which listings find and order it. */
export interface SearchedColumns {
  readonly status: string | null;
  /** An ISO date. */
  readonly document_date: string | null;
  /** See {@link amountOrder}. */
  readonly amount_order: string | null;
  /** See {@link wordsOf}; separated by spaces. */
  readonly search_words: string | null;
}

/** Derives the columns by which listings find and order a record from its canonical data. Pure. */
export function searchedColumns(entityType: StoredEntityType, data: JsonObject): SearchedColumns {
  const textIn = (field: string | undefined): string | null => {
    const value = field === undefined ? undefined : ownMember(data, field);
    return typeof value === 'string' ? value : null;
  };
  const amount = ownMember(data, 'amount');
  const { number, title } = namingFields[entityType];
  const words = [number, title].flatMap((field) => wordsOf(textIn(field) ?? ''));
  return {
    status: textIn('status'),
    document_date: textIn(documentDateField(entityType)),
    amount_order: isMoney(amount) ? amountOrder(amount) : null,
    search_words: words.length === 0 ? null : [...new Set(words)].join(' '),
  };
}

// The most decimals of a currency, and the digits of the largest amount with so many.
const DECIMALS = 4;
const DIGITS = 20;

/** An amount, without its currency, in a form whose byte order is that of numbers. Pure. */
export function amountOrder({ amount, currency }: Money): string {
  const minor = String(Math.abs(amount));
  const digits = (minor + '0'.repeat(DECIMALS - exponentOf(currency))).padStart(DIGITS, '0');
  // Of two negative amounts, the one with the smaller digits is the larger one.
  return amount < 0 ? `-${digits.replace(/\d/g, (digit) => String(9 - Number(digit)))}` : `0${digits}`;
}

/** The words of a text in the form in which they are searched; none for a text that no database could store. Pure. */
export function wordsOf(text: string): readonly string[] {
  const searched = cutText(text, LONGEST_TEXT);
  if (!isStorableText(searched)) return [];
  return foldText(searched)
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => cutText(word, LONGEST_WORD));
}
