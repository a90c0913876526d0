import type { JsonObject } from '@app/mapper';
import type { Field, Fields } from './field';

/** The tables behind the pages. */
export type TableName =
  | 'accounts'
  | 'currencies'
  | 'customerPaymentJournals'
  | 'customerPayments'
  | 'customers'
  | 'generalLedgerSetup'
  | 'items'
  | 'paymentMethods'
  | 'paymentTerms'
  | 'projects'
  | 'salesInvoiceLines'
  | 'salesInvoices'
  | 'salesOrderLines'
  | 'salesOrders'
  | 'shipmentMethods';

/** A page within another one. Its records have the value in `theirs` that the outer record has in `ours`. */
export interface Part {
  readonly set: string;
  readonly many: boolean;
  readonly ours: string;
  readonly theirs: string;
}

/** An API page: the fields that it shows of a table, and the permitted operations. */
export interface EntitySet {
  readonly name: string;
  /** The name of the entity type in messages. */
  readonly type: string;
  readonly table: TableName;
  readonly fields: Fields;
  readonly parts: ReadonlyMap<string, Part>;
  /** Methods other than GET. */
  readonly methods: readonly ('POST' | 'PATCH' | 'DELETE')[];
  /** Which rows of the table the page shows; all when absent. */
  readonly shows?: (values: JsonObject) => boolean;
}

interface Definition {
  readonly name: string;
  readonly type: string;
  readonly table: TableName;
  readonly fields: readonly (readonly [string, Field])[];
  readonly parts?: Readonly<Record<string, Part>>;
  readonly methods?: EntitySet['methods'];
  readonly shows?: EntitySet['shows'];
}

/** Defines a page. It is writable unless the definition says otherwise. */
export function entitySet(definition: Definition): EntitySet {
  const { shows, ...rest } = definition;
  return {
    ...rest,
    ...(shows === undefined ? {} : { shows }),
    fields: new Map(definition.fields),
    parts: new Map(Object.entries(definition.parts ?? {})),
    methods: definition.methods ?? ['POST', 'PATCH', 'DELETE'],
  };
}
