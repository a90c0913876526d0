import type { FieldKind } from './field-kinds';

/** A field of an API page. */
export interface PageField {
  readonly kind: FieldKind;
  /** Whether nobody may write it through the API. */
  readonly readOnly: boolean;
}

/** An API page: an entity set and its fields. */
export interface Page {
  /** Of the entity set, as in its address. */
  readonly name: string;
  /** In the order of the page, in which the platform validates them. */
  readonly fields: ReadonlyMap<string, PageField>;
}

/** A page with lines. Totals follow from the lines; one of them is what is asked for when an amount is to change. */
export interface DocumentPage extends Page {
  readonly lines: 'salesOrderLines' | 'salesInvoiceLines';
  readonly total: 'totalAmountExcludingTax' | 'totalAmountIncludingTax';
  /** In the platform's messages. */
  readonly word: 'Order' | 'Invoice';
}

type Named = readonly (readonly [string, PageField])[];

/** Fields of one kind that may be written. */
export function writable(kind: FieldKind, ...names: readonly string[]): Named {
  return names.map((name) => [name, { kind, readOnly: false }]);
}

/** Fields of one kind that only the platform writes. */
export function readOnly(kind: FieldKind, ...names: readonly string[]): Named {
  return names.map((name) => [name, { kind, readOnly: true }]);
}

export function page(name: string, ...fields: readonly Named[]): Page {
  return { name, fields: new Map(fields.flat()) };
}
