import type { FieldKind } from './field-kinds';

/** A field of an API page. */
export interface PageField {
  readonly kind: FieldKind;
  /** Whether the API rejects writes of the field. */
  readonly readOnly: boolean;
}

/** An API page: an entity set and its fields. */
export interface Page {
  /** The name of the entity set in its address. */
  readonly name: string;
  /** In the order of the page, which is the order in which the platform validates them. */
  readonly fields: ReadonlyMap<string, PageField>;
}

/** A page with lines. The totals are computed from the lines. A change of the amount names one of the totals. */
export interface DocumentPage extends Page {
  readonly lines: 'salesOrderLines' | 'salesInvoiceLines';
  readonly total: 'totalAmountExcludingTax' | 'totalAmountIncludingTax';
  /** The document's name in the platform's messages. */
  readonly word: 'Order' | 'Invoice';
}

type Named = readonly (readonly [string, PageField])[];

/** Writable fields of one kind. */
export function writable(kind: FieldKind, ...names: readonly string[]): Named {
  return names.map((name) => [name, { kind, readOnly: false }]);
}

/** Read-only fields of one kind. */
export function readOnly(kind: FieldKind, ...names: readonly string[]): Named {
  return names.map((name) => [name, { kind, readOnly: true }]);
}

export function page(name: string, ...fields: readonly Named[]): Page {
  return { name, fields: new Map(fields.flat()) };
}
