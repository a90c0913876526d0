/** The purpose of a column of a stored record. */
export type ColumnRole =
  /** Part of the primary key. */
  | 'key'
  /** Read from the platform's record, or the record itself. */
  | 'content'
  /** Content too: another record, by the platform's ID. */
  | 'reference'
  /** Where reconciliation placed the record: its object, and the objects to which it refers. */
  | 'placement'
  /** State of this service's writes: what an open one will make of the record, and when the last one was recorded. */
  | 'write'
  /** State of readings that did not contain the record. */
  | 'absence'
  /** Since when the row has its present content, and the change that wrote it. */
  | 'version';

/** One column of `platform_records`. */
export interface RecordColumn {
  readonly name: string;
  readonly type: 'uuid' | 'text' | 'int' | 'json' | 'timestamptz';
  readonly nullable: boolean;
  readonly role: ColumnRole;
  /** The default value. */
  readonly fallback?: number | 'now()';
  /** What the column holds. */
  readonly comment: string;
}

/**
 * The columns of a stored record, in the order of the table. The entity, COPY, inserts and comparisons are derived from
 * this list, and a test compares the migrations with it.
 */
export const recordColumns = [
  { name: 'customer_id', type: 'uuid', nullable: false, role: 'key', comment: 'The tenant.' },
  { name: 'platform', type: 'text', nullable: false, role: 'key', comment: 'Name of the platform.' },
  { name: 'entity_type', type: 'text', nullable: false, role: 'key', comment: 'One of the stored types.' },
  { name: 'platform_id', type: 'text', nullable: false, role: 'key', comment: 'The native ID.' },
  {
    name: 'native_order',
    type: 'text',
    nullable: false,
    role: 'content',
    comment: 'The native ID in a form whose byte order is the order of listings: numbers as numbers.',
  },
  {
    name: 'canonical_id',
    type: 'text',
    nullable: false,
    role: 'placement',
    comment: 'The object whose record this is.',
  },
  {
    name: 'variant',
    type: 'text',
    nullable: true,
    role: 'content',
    comment: 'Which of the platform’s resources holds the record, where one type has several.',
  },
  {
    name: 'currency',
    type: 'text',
    nullable: true,
    role: 'content',
    comment: 'ISO 4217, if the record itself names one.',
  },
  {
    name: 'business_key',
    type: 'text',
    nullable: true,
    role: 'content',
    comment: 'The normalised key that records are matched by; null if the record has none.',
  },
  {
    name: 'number',
    type: 'text',
    nullable: true,
    role: 'content',
    comment: 'The key as it is written in the record.',
  },
  {
    name: 'status',
    type: 'text',
    nullable: true,
    role: 'content',
    comment: 'The canonical status that the record has; null if it has none.',
  },
  {
    name: 'document_date',
    type: 'text',
    nullable: true,
    role: 'content',
    comment:
      'The date of the document, as an ISO date; null if the record has none, or the type is no document.',
  },
  {
    name: 'amount_order',
    type: 'text',
    nullable: true,
    role: 'content',
    comment:
      'The amount of the document in a form whose byte order is that of numbers, in whatever currency; null if it has none.',
  },
  {
    name: 'search_words',
    type: 'text',
    nullable: true,
    role: 'content',
    comment: 'The words of its number, title and name, folded as keys are, with a space between them.',
  },
  { name: 'project_ref', type: 'text', nullable: true, role: 'reference', comment: 'Its project.' },
  { name: 'customer_ref', type: 'text', nullable: true, role: 'reference', comment: 'Its customer.' },
  { name: 'contract_ref', type: 'text', nullable: true, role: 'reference', comment: 'Its contract.' },
  { name: 'invoice_ref', type: 'text', nullable: true, role: 'reference', comment: 'Its invoice.' },
  {
    name: 'project_canonical_id',
    type: 'text',
    nullable: true,
    role: 'placement',
    comment: 'The object of its project; null while that is not known.',
  },
  {
    name: 'customer_canonical_id',
    type: 'text',
    nullable: true,
    role: 'placement',
    comment: 'The object of its customer: the type of the API, not the tenant.',
  },
  {
    name: 'contract_canonical_id',
    type: 'text',
    nullable: true,
    role: 'placement',
    comment: 'The object of its contract.',
  },
  {
    name: 'invoice_canonical_id',
    type: 'text',
    nullable: true,
    role: 'placement',
    comment: 'The object of its invoice.',
  },
  {
    name: 'payload',
    type: 'json',
    nullable: false,
    role: 'content',
    comment:
      'The record as received. Read and write it as text: the driver’s parser loses how numbers are written.',
  },
  {
    name: 'accepted',
    type: 'json',
    nullable: true,
    role: 'write',
    comment: 'The record as an open write will make it; null when none is open.',
  },
  {
    name: 'written_at',
    type: 'timestamptz',
    nullable: true,
    role: 'write',
    comment: 'When a write of ours was last recorded; null for a record that was only read.',
  },
  {
    name: 'modified_at',
    type: 'text',
    nullable: true,
    role: 'content',
    comment:
      'When the platform last changed the record, for choosing among two copies of it; null after a write of ours.',
  },
  {
    name: 'digest',
    type: 'text',
    nullable: true,
    role: 'content',
    comment: 'What the record was when it was read; null after a write of ours, so that it is read again.',
  },
  {
    name: 'missed',
    type: 'int',
    nullable: false,
    role: 'absence',
    fallback: 0,
    comment: 'Whole readings, one after the other, that did not have the record.',
  },
  {
    name: 'missing_since',
    type: 'timestamptz',
    nullable: true,
    role: 'absence',
    comment: 'When the first of them began; null for a record that the last one had.',
  },
  {
    name: 'since',
    type: 'timestamptz',
    nullable: false,
    role: 'version',
    fallback: 'now()',
    comment: 'Since when the row has its content, its placement and what is accepted for it.',
  },
  {
    name: 'changed_by',
    type: 'uuid',
    nullable: true,
    role: 'version',
    comment: 'The change that made it so; null for a row from before changes were kept.',
  },
] as const satisfies readonly RecordColumn[];

export type AnyRecordColumn = (typeof recordColumns)[number];

/** Names of the columns that have one of the roles. */
export type ColumnName<Role extends ColumnRole = ColumnRole> = Extract<
  AnyRecordColumn,
  { readonly role: Role }
>['name'];

/** The name of a column as a property of a row object: `native_order` becomes `nativeOrder`. */
export type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** See {@link Camel}. */
export function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The columns of a record's version: all inputs of canonical data and matching. */
export const versionColumns: readonly RecordColumn[] = recordColumns.filter(
  ({ name, role }) => role !== 'absence' && name !== 'written_at',
);
