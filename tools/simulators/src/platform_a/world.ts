import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import type { SimulatorCore } from '../server';
import { IdSource, idText } from './ids';
import type { PlatformASwitches } from './switches';
import { Table } from './table';

/** The resources that the platform stores. */
export const kinds = [
  'projects',
  'vendors',
  'project_vendors',
  'work_order_contracts',
  'purchase_order_contracts',
  'requisitions',
  'contract_payments',
  'commitment_change_orders',
  'budget_line_items',
  'timecard_entries',
  'people',
  'users',
] as const;
export type Kind = (typeof kinds)[number];
export type ContractKind = 'work_order_contracts' | 'purchase_order_contracts';

export function isKind(text: unknown): text is Kind {
  return kinds.some((kind) => kind === text);
}

/** The company that installed the app. */
export interface Company {
  readonly id: string;
  readonly name: string;
}

export type EventType = 'create' | 'update' | 'delete';

/** A change that is reported to webhooks. */
export interface ChangeEvent {
  readonly kind: Kind;
  readonly type: EventType;
  readonly record: JsonObject;
  /** The record before; undefined for a new one. */
  readonly before: JsonObject | undefined;
  /** Whether the app made it, as opposed to a user. */
  readonly own: boolean;
}

/** Parts of a project that can be switched off. */
export type Tool = 'commitments' | 'invoicing' | 'directory';

/** The state of the simulated platform. Every change goes through {@link save} or {@link remove}. */
export class World {
  readonly ids: IdSource;
  readonly tables: Readonly<Record<Kind, Table>>;
  /** Projects that the account was added to; undefined for all. */
  permitted: ReadonlySet<string> | undefined;
  /** False after the company has uninstalled the app. */
  isConnected = true;
  /** The HTTP status of each tool that is switched off, by `project:tool`. */
  readonly toolsOff = new Map<string, number>();
  /** Records that exist but are not shown, and records that are locked against writes, by `kind:id`. */
  readonly hidden = new Set<string>();
  readonly locked = new Set<string>();
  private readonly listeners: ((event: ChangeEvent) => void)[] = [];

  constructor(
    readonly core: SimulatorCore<PlatformASwitches>,
    readonly company: Company,
    /** Called after every change of what is stored. */
    readonly changed: () => void,
  ) {
    this.ids = new IdSource(() => core.switches.get('bigIds'));
    const lag = { milliseconds: () => core.switches.get('readLagMs'), now: () => core.clock.now() };
    const table = (scopeOf: (row: JsonObject) => string): Table => new Table(scopeOf, lag);
    const inDirectory = (row: JsonObject): string =>
      directoryKey(idText(row['project_id']), idText(row['id']));
    const inProject = (row: JsonObject): string => idText(row['project_id']) ?? '';
    const ofContract = (row: JsonObject): string => idText(ownMember(objectOf(row['project']), 'id')) ?? '';
    this.tables = {
      projects: table(() => ''),
      vendors: table(() => ''),
      project_vendors: new Table(inProject, lag, inDirectory),
      work_order_contracts: table(ofContract),
      purchase_order_contracts: table(ofContract),
      requisitions: table(inProject),
      contract_payments: table((row) => idText(row['contract_id']) ?? ''),
      commitment_change_orders: table((row) => idText(row['contract_id']) ?? ''),
      budget_line_items: table(inProject),
      timecard_entries: table(() => ''),
      people: table(() => ''),
      users: table(() => ''),
    };
  }

  onChange(listener: (event: ChangeEvent) => void): void {
    this.listeners.push(listener);
  }

  /** Stores a record. */
  save(
    kind: Kind,
    record: JsonObject,
    type: EventType,
    options: { own?: boolean; atStart?: boolean } = {},
  ): JsonObject {
    const before = this.tables[kind].put(record, options.atStart);
    this.tell({ kind, type, record, before, own: options.own ?? true });
    return record;
  }

  remove(kind: Kind, record: JsonObject, own = true): void {
    this.tables[kind].remove(record);
    this.tell({ kind, type: 'delete', record, before: record, own });
  }

  /** The present record of a contract of either kind. */
  contract(id: string): { readonly kind: ContractKind; readonly record: JsonObject } | undefined {
    for (const kind of ['work_order_contracts', 'purchase_order_contracts'] as const) {
      const record = this.tables[kind].get(id);
      if (record !== undefined) return { kind, record };
    }
    return undefined;
  }

  /** The present time in the platform's form: seconds without a fraction. */
  stamp(): string {
    return this.core.clock
      .date()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
  }

  toJson(): JsonObject {
    return {
      ids: this.ids.given,
      tables: Object.fromEntries(kinds.map((kind) => [kind, this.tables[kind].all()])),
    };
  }

  restore(state: JsonObject): void {
    this.ids.given = Number(state['ids'] ?? 0);
    for (const [kind, rows] of Object.entries(objectOf(state['tables']))) {
      if (!isKind(kind) || !isJsonArray(rows)) continue;
      for (const row of rows) if (isJsonObject(row)) this.tables[kind].put(row);
    }
  }

  private tell(event: ChangeEvent): void {
    this.changed();
    for (const listener of this.listeners) listener(event);
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The key of a vendor in the directory of a project. */
export function directoryKey(project = '', id = ''): string {
  return `${project}:${id}`;
}

/** The key of a record in the sets of hidden and locked ones. */
export function keyOf(kind: Kind, record: JsonObject): string {
  return `${kind}:${idText(record['id']) ?? ''}`;
}
