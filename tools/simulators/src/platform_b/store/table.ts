import { textOf, type Row } from './row';

/** Puts rows in order: negative, zero or positive. */
export type RowOrder = (one: Row, other: Row) => number;

/** The rows of a table, found by ID and by some of their fields, and in any order. */
export class Table {
  private readonly rows = new Map<string, Row>();
  private readonly indexes: ReadonlyMap<string, Map<string, Set<string>>>;
  private sorted = new Map<string, readonly Row[]>();

  constructor(readonly indexed: readonly string[]) {
    this.indexes = new Map(indexed.map((field) => [field, new Map<string, Set<string>>()]));
  }

  get size(): number {
    return this.rows.size;
  }

  get(id: string): Row | undefined {
    return this.rows.get(id);
  }

  all(): Iterable<Row> {
    return this.rows.values();
  }

  /** Rows whose field has this text. Only for fields that have an index. */
  by(field: string, value: string): readonly Row[] {
    const ids = this.indexes.get(field)?.get(value) ?? [];
    return [...ids].flatMap((id) => this.rows.get(id) ?? []);
  }

  /** All rows in an order. It is kept under its name until a row changes. */
  inOrder(name: string, order: RowOrder): readonly Row[] {
    let rows = this.sorted.get(name);
    if (rows === undefined) {
      rows = [...this.rows.values()].sort(order);
      this.sorted.set(name, rows);
    }
    return rows;
  }

  /** Puts a row in the place of the one with its ID, or takes that one out. Returns what was there. */
  set(id: string, row: Row | undefined): Row | undefined {
    const before = this.rows.get(id);
    for (const [field, index] of this.indexes) {
      if (before !== undefined) index.get(textOf(before, field))?.delete(id);
      if (row !== undefined) entryOf(index, textOf(row, field)).add(id);
    }
    if (row === undefined) this.rows.delete(id);
    else this.rows.set(id, row);
    if (this.sorted.size > 0) this.sorted = new Map();
    return before;
  }

  /** A table of its own with the same rows but for some. */
  with(others: ReadonlyMap<string, Row | undefined>): Table {
    const table = new Table(this.indexed);
    for (const [id, row] of this.rows) table.set(id, others.has(id) ? others.get(id) : row);
    for (const [id, row] of others) table.set(id, row);
    return table;
  }
}

function entryOf(index: Map<string, Set<string>>, value: string): Set<string> {
  const present = index.get(value);
  if (present !== undefined) return present;
  const made = new Set<string>();
  index.set(value, made);
  return made;
}
