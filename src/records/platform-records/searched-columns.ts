import { foldText, isStorableText, ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';

/** The canonical fields of each type that a search reads: numbers, titles and names. */
const searchedFields: Readonly<Record<StoredEntityType, readonly string[]>> = {
  project: ['number', 'name'],
  customer: ['number', 'name'],
  contract: ['number', 'title'],
  invoice: ['number'],
  payment: ['check_number'],
};

/** The canonical field that holds the date of a document; none for types that are no documents. */
export const documentDateField: Readonly<Partial<Record<StoredEntityType, string>>> = {
  contract: 'contract_date',
  invoice: 'invoice_date',
  payment: 'date',
};

/** Characters of a text that are searched. What stands behind them finds nothing. */
const LONGEST_TEXT = 200;

// An entry of an index holds some 2,000 bytes, and NFKC makes eighteen characters of some.
const LONGEST_WORD = 100;

/** The columns of a record by which listings find it. */
export interface SearchedColumns {
  readonly status: string | null;
  /** An ISO date. */
  readonly document_date: string | null;
  readonly search_words: string | null;
}

/** Derives the columns by which listings find a record from its canonical data. Pure. */
export function searchedColumns(entityType: StoredEntityType, data: JsonObject): SearchedColumns {
  const textIn = (field: string | undefined): string | null => {
    const value = field === undefined ? undefined : ownMember(data, field);
    return typeof value === 'string' ? value : null;
  };
  const words = searchedFields[entityType].flatMap((field) => wordsOf(textIn(field) ?? ''));
  return {
    status: textIn('status'),
    document_date: textIn(documentDateField[entityType]),
    search_words: words.length === 0 ? null : [...new Set(words)].join(' '),
  };
}

/** The words of a text in the form in which they are searched; none for a text that no database could store. Pure. */
export function wordsOf(text: string): readonly string[] {
  const searched = cut(text, LONGEST_TEXT);
  if (!isStorableText(searched)) return [];
  return foldText(searched)
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => cut(word, LONGEST_WORD));
}

/** The beginning of a text, without half of a pair at its end. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}
