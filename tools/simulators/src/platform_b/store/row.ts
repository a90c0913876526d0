import { ownMember, type JsonObject, type JsonValue } from '@app/mapper';

/** One record of a table. Rows are never changed, but replaced. */
export interface Row {
  readonly id: string;
  readonly etag: string;
  /** All fields, also those that only some of its pages show. */
  readonly values: JsonObject;
  /** Set on documents that are posted: `status` alone does not tell. */
  readonly posted?: true;
  /** Set on drafts whose invoice discount is distributed again by the next read. */
  readonly unread?: true;
}

/** A field of a row as text; blank when it has none. */
export function textOf(row: Row, field: string): string {
  const value = ownMember(row.values, field);
  return typeof value === 'string' ? value : '';
}

/** A field of a row; null when it has none. */
export function valueOf(row: Row, field: string): JsonValue {
  return ownMember(row.values, field) ?? null;
}
