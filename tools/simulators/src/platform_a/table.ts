import type { JsonObject } from '@app/mapper';
import { idText } from './ids';

/** Records of one resource in list order, found by ID and by the scope that lists them. */
export class Table {
  private rows = new Map<string, JsonObject>();
  private scopes = new Map<string, Set<string>>();
  /** The earlier states that readers still see of recently written records. */
  private readonly lagging = new Map<
    string,
    { readonly until: number; readonly shown: JsonObject | undefined }
  >();

  constructor(
    private readonly scopeOf: (row: JsonObject) => string,
    /** The delay after which readers see a write in simulated milliseconds, and the clock. */
    private readonly lag: { milliseconds(): number; now(): number },
    /** The key of a record: its ID, unless the ID is unique within its scope only. */
    private readonly keyOf: (row: JsonObject) => string | undefined = (row) => idText(row['id']),
  ) {}

  /** The present record, for writers. */
  get(id: string): JsonObject | undefined {
    return this.rows.get(id);
  }

  /** The record as readers see it. */
  seen(id: string): JsonObject | undefined {
    const late = this.lagging.get(id);
    if (late === undefined || late.until <= this.lag.now()) {
      if (late !== undefined) this.lagging.delete(id);
      return this.rows.get(id);
    }
    return late.shown;
  }

  /** All present records of a scope. */
  in(scope: string): readonly JsonObject[] {
    return [...(this.scopes.get(scope) ?? [])]
      .map((id) => this.rows.get(id))
      .filter((row) => row !== undefined);
  }

  /** All records of a scope as readers see them. */
  seenIn(scope: string): readonly JsonObject[] {
    const gone = [...this.lagging]
      .filter(([id, { shown }]) => shown !== undefined && !this.rows.has(id) && this.scopeOf(shown) === scope)
      .map(([id]) => id);
    return [...(this.scopes.get(scope) ?? []), ...gone]
      .map((id) => this.seen(id))
      .filter((row) => row !== undefined);
  }

  all(): readonly JsonObject[] {
    return [...this.rows.values()];
  }

  get size(): number {
    return this.rows.size;
  }

  /** Stores a record. A new record is the last in lists, or the first if requested. Returns the previous record. */
  put(row: JsonObject, atStart = false): JsonObject | undefined {
    const id = this.keyOf(row);
    if (id === undefined) throw new Error('A record has no ID');
    this.remember(id);
    const before = this.rows.get(id);
    if (before !== undefined && this.scopeOf(before) !== this.scopeOf(row)) this.leaveScope(id, before);
    const isNew = before === undefined;
    this.rows.set(id, row);
    const scope = this.scopeOf(row);
    const members = this.scopes.get(scope) ?? new Set();
    this.scopes.set(scope, members.add(id));
    if (isNew && atStart) this.scopes.set(scope, new Set([id, ...members]));
    return before;
  }

  remove(row: JsonObject): void {
    const id = this.keyOf(row);
    if (id === undefined || !this.rows.has(id)) return;
    this.remember(id);
    this.leaveScope(id, row);
    this.rows.delete(id);
  }

  private leaveScope(id: string, row: JsonObject): void {
    this.scopes.get(this.scopeOf(row))?.delete(id);
  }

  private remember(id: string): void {
    const milliseconds = this.lag.milliseconds();
    if (milliseconds <= 0) return;
    const shown = this.seen(id);
    this.lagging.set(id, { until: this.lag.now() + milliseconds, shown });
  }
}
