import { stringifyJson, type StoredEntityType } from '@app/mapper';
import type {
  Checkpoint,
  Connection,
  RecordPage,
  ReadScope,
  RecordRef,
  SourceRecord,
} from '../../../src/platforms/connector';
import { GivenConnector } from './given-records';

/** A read of a scope as the connector was asked for it. */
export interface AskedReading {
  readonly entityType: StoredEntityType;
  readonly since: Checkpoint | null;
  readonly from: Checkpoint | null;
}

/**
 * A platform whose records appear, change and disappear during a test. It counts its changes, and a cursor is the
 * count up to which a reader has read. It records the requests for reads, and can leave gaps, refuse, and wait at a
 * page.
 */
export class MovingPlatform extends GivenConnector {
  readonly asked: AskedReading[] = [];
  /** Types that cannot be read to the end, and parts of types that cannot be read. */
  readonly incomplete = new Set<StoredEntityType>();
  readonly gaps = new Map<StoredEntityType, readonly string[]>();
  /** Whether it supports cursors. */
  cursors = true;
  pageSize = 500;
  /** The calls that each page takes, and those that were refused because of limits. */
  calls = 1;
  limited = 0;
  /** Records that it returns individually but omits from its lists. */
  readonly unlisted = new Set<string>();
  /** Runs before each page, with the signal that ends the reading. */
  beforePage: (entityType: StoredEntityType, place: number, signal?: AbortSignal) => Promise<void> = () =>
    Promise.resolve();
  /** Records that were requested individually. */
  readonly looked: RecordRef[] = [];
  /** Runs before a record is returned individually. */
  beforeGet: (ref: RecordRef) => Promise<void> = () => Promise.resolve();
  private readonly held = new Map<string, { readonly record: SourceRecord; readonly change: number }>();
  private changes = 0;

  constructor(records: readonly SourceRecord[], currency?: string) {
    super([], currency);
    for (const record of records) this.put(record);
  }

  /** Adds or replaces a record. */
  put(record: SourceRecord): void {
    this.changes += 1;
    this.held.set(keyOf(record.entityType, stringifyJson(record.payload.id ?? null)), {
      record,
      change: this.changes,
    });
  }

  remove(entityType: StoredEntityType, id: string): void {
    this.changes += 1;
    this.held.delete(keyOf(entityType, id));
  }

  /** The reads since the last call of this method, without types that have no records. */
  readings(): readonly AskedReading[] {
    const types = new Set([...this.held.values()].map(({ record }) => record.entityType));
    return this.asked.splice(0).filter(({ entityType }) => types.has(entityType));
  }

  override async *read(
    _connection: Connection,
    { entityType, since }: ReadScope,
    from: Checkpoint | null,
    signal?: AbortSignal,
  ): AsyncIterable<RecordPage> {
    this.asked.push({ entityType, since: since ?? null, from });
    const cursor = this.changes;
    const all = [...this.held.values()].filter(
      ({ record, change }) =>
        record.entityType === entityType &&
        change > Number(since ?? 0) &&
        !this.unlisted.has(keyOf(entityType, stringifyJson(record.payload.id ?? null))),
    );
    for (let place = Number(from ?? 0); ; place += this.pageSize) {
      await this.beforePage(entityType, place, signal);
      const last = place + this.pageSize >= all.length;
      const gaps = this.gaps.get(entityType);
      yield {
        records: all.slice(place, place + this.pageSize).map(({ record }) => record),
        next: last ? null : place + this.pageSize,
        calls: this.calls,
        limited: this.limited,
        ...(last && {
          complete: !this.incomplete.has(entityType) && gaps === undefined,
          ...(this.cursors && { cursor }),
          ...(gaps !== undefined && { gaps }),
        }),
      };
      if (last) return;
    }
  }

  override async get(_connection: Connection, ref: RecordRef): Promise<SourceRecord | undefined> {
    this.looked.push(ref);
    await this.beforeGet(ref);
    return this.held.get(keyOf(ref.entityType, ref.platformId))?.record;
  }
}

function keyOf(entityType: StoredEntityType, id: string): string {
  return `${entityType} ${id}`;
}
