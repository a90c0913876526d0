import { isJsonObject, sameJson, stringifyJson, valueAt, type JsonObject, type JsonValue } from '@app/mapper';
import type { NativeChange, StoredEntityType } from '@app/mapper';
import type { WatchedWrite } from '@app/simulators';
import type { Platform } from '../../customers/portfolio';

/** The tables of each type on each platform. */
const tables: Readonly<Record<Platform, Readonly<Record<StoredEntityType, readonly string[]>>>> = {
  platform_a: {
    project: ['projects'],
    customer: ['vendors'],
    contract: ['work_order_contracts', 'purchase_order_contracts'],
    invoice: ['requisitions'],
    payment: ['contract_payments'],
  },
  platform_b: {
    project: ['projects'],
    customer: ['customers'],
    contract: ['salesOrders'],
    invoice: ['salesInvoices'],
    payment: ['customerPayments'],
  },
};

/** A write of the service, as the outbox stores it. */
export interface SentCommand {
  readonly platform: Platform;
  readonly entityType: StoredEntityType;
  /** Null if a record is to be created. */
  readonly platformId: string | null;
  readonly changes: readonly NativeChange[];
}

/** A value of another user that the service overwrote. */
export interface Overwritten {
  /** The value of the other user. */
  readonly theirs: string;
  /** The value of the service. */
  readonly ours: string;
  readonly table: string;
  /** The number of requests that the platform had received by then. */
  readonly at: number;
}

/** Values that only one change writes, and values that other users write. Platforms may store them in upper case. */
const OURS = /\bours[- ]?\d+\b/i;
const THEIRS = /\btheirs[- ]?\d+\b/i;

/** Fields that platforms set with each write. */
const STAMPS: ReadonlySet<string> = new Set(['updated_at', 'lastModifiedDateTime', '@odata.etag']);

/** Observes every write to a platform by any client, and determines which effects a change of the service had. */
export class Witness {
  private readonly writes: WatchedWrite[] = [];
  /** Values of other users that the service overwrote, in order. */
  readonly overwritten: Overwritten[] = [];

  constructor(
    private readonly platform: Platform,
    private readonly requests: () => number,
  ) {}

  readonly watch = (write: WatchedWrite): void => {
    this.writes.push(write);
    if (write.by !== 'api' || write.before === undefined || write.after === undefined) return;
    for (const [field, before] of Object.entries(write.before)) {
      const after = write.after[field];
      if (typeof before !== 'string' || !THEIRS.test(before) || before === after) continue;
      const ours = typeof after === 'string' ? after : stringifyJson(after ?? null);
      this.overwritten.push({ theirs: before, ours, table: write.table, at: this.requests() });
    }
  };

  /** The number of times that a command took effect. */
  effectsOf({ entityType, platformId, changes }: SentCommand): number {
    const names = tables[this.platform][entityType];
    const own = this.writes.filter(({ by, table }) => by === 'api' && names.includes(table));
    if (platformId === null) {
      const marks = changes.filter(({ value }) => typeof value === 'string' && OURS.test(value));
      if (marks.length === 0) throw new Error('A creation has no value that only it has');
      return own.filter(
        ({ before, after }) =>
          before === undefined &&
          marks.some(({ path, value }) => after !== undefined && has(after, path, value)),
      ).length;
    }
    const ofRecord = own.filter(({ id, before }) => id === platformId && before !== undefined);
    const times = changes.map(
      ({ path, value }) =>
        ofRecord.filter(
          ({ before, after }) => has(after ?? {}, path, value) && !has(before ?? {}, path, value),
        ).length,
    );
    return Math.max(0, ...times);
  }

  /** Values of a single change that were written more than once: to the same field of two records, or again. */
  repeated(): readonly string[] {
    const seen = new Map<string, number>();
    for (const { by, table, before, after } of this.writes) {
      if (by !== 'api' || after === undefined) continue;
      for (const [field, value] of Object.entries(after)) {
        if (typeof value !== 'string' || !OURS.test(value)) continue;
        if (before !== undefined && has(before, [field], value)) continue;
        const name = `${table}.${field} ${value.toUpperCase()}`;
        seen.set(name, (seen.get(name) ?? 0) + 1);
      }
    }
    return [...seen].filter(([, times]) => times > 1).map(([name]) => name);
  }

  /** The number of writes of the service. */
  get sent(): number {
    return this.writes.filter(({ by }) => by === 'api').length;
  }

  /**
   * The present content of each row that was ever written, without times and versions; undefined for a deleted row.
   */
  contents(): Readonly<Record<string, JsonObject | undefined>> {
    const content = (row: JsonObject): JsonObject =>
      Object.fromEntries(Object.entries(row).filter(([field]) => !STAMPS.has(field)));
    return Object.fromEntries(
      this.writes.map(({ table, id, after }) => [`${table} ${id}`, after && content(after)]),
    );
  }

  /** Records that the service created and that still exist. */
  created(table: string): readonly string[] {
    const ids = this.writes
      .filter((write) => write.by === 'api' && write.table === table && write.before === undefined)
      .map(({ id }) => id);
    return ids.filter(
      (id) => this.writes.findLast((write) => write.table === table && write.id === id)?.after,
    );
  }
}

function has(record: JsonObject, path: NativeChange['path'], value: JsonValue): boolean {
  const there = valueAt(record, path);
  if (there === undefined || isJsonObject(there)) return false;
  return sameJson(there, value) || textOf(there) === textOf(value);
}

// Platforms store codes in upper case, and numbers with any number of decimals.
function textOf(value: JsonValue): string {
  const text = (typeof value === 'string' ? value : stringifyJson(value)).trim().toUpperCase();
  return /^-?\d+(\.\d+)?$/.test(text) ? String(Number(text)) : text;
}
