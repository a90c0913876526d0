import type { TableName } from '../model/entity-set';
import type { Row } from './row';
import { Table } from './table';

/** What happened to a row in a transaction. */
export interface Change {
  readonly table: TableName;
  readonly id: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

interface Logged extends Change {
  /** Simulated time, in milliseconds. */
  readonly at: number;
}

/** Reading, from the tables themselves or from a replica of them. */
export interface StoreSnapshot {
  table(name: TableName): Table;
}

const MOST_LOGGED = 20_000;

const indexedFields: Readonly<Record<TableName, readonly string[]>> = {
  accounts: ['number'],
  currencies: ['code'],
  customerPaymentJournals: ['code', 'templateDisplayName'],
  customerPayments: ['journalId', 'externalDocumentNumber'],
  customers: ['number'],
  generalLedgerSetup: [],
  items: ['number'],
  paymentMethods: [],
  paymentTerms: [],
  projects: ['number'],
  salesInvoiceLines: ['documentId'],
  salesInvoices: ['number', 'externalDocumentNumber', 'customerId'],
  salesOrderLines: ['documentId'],
  salesOrders: ['number', 'externalDocumentNumber', 'customerId'],
  shipmentMethods: [],
};

/** All tables there are. */
// The record above has exactly the names of the tables.
export const tableNames = Object.keys(indexedFields) as readonly TableName[];

/** The database of the company: tables, transactions, and what a replica of it shows. */
export class Store implements StoreSnapshot {
  private readonly tables: ReadonlyMap<TableName, Table>;
  private undo: Change[] | undefined;
  private log: Logged[] = [];

  /** `onCommit` gets the changes of each transaction when it is over, one for each row. */
  constructor(
    private readonly now: () => number,
    private readonly onCommit: (changes: readonly Change[]) => void,
  ) {
    this.tables = new Map(tableNames.map((name) => [name, new Table(indexedFields[name])]));
  }

  table(name: TableName): Table {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`no table ${name}`);
    return table;
  }

  /** Runs work that is done as a whole or, when it throws, not at all. Within another, it is a part of that one. */
  transaction<Result>(work: () => Result): Result {
    const isOutermost = this.undo === undefined;
    const undo = (this.undo ??= []);
    const start = undo.length;
    try {
      const result = work();
      if (isOutermost) this.commit(undo);
      return result;
    } catch (error) {
      for (const change of undo.splice(start).reverse())
        this.table(change.table).set(change.id, change.before);
      throw error;
    } finally {
      if (isOutermost) this.undo = undefined;
    }
  }

  put(table: TableName, row: Row): Row {
    this.change(table, row.id, row);
    return row;
  }

  remove(table: TableName, id: string): void {
    this.change(table, id, undefined);
  }

  /** The tables as they were so many milliseconds ago, as far as the store remembers. */
  replica(lag: number): StoreSnapshot {
    const since = this.now() - lag;
    const past = new Map<TableName, Map<string, Row | undefined>>();
    for (let index = this.log.length - 1; index >= 0; index -= 1) {
      const logged = this.log[index];
      if (logged === undefined || logged.at <= since) break;
      const rows = past.get(logged.table) ?? new Map<string, Row | undefined>();
      past.set(logged.table, rows.set(logged.id, logged.before));
    }
    const made = new Map<TableName, Table>();
    return {
      table: (name) => {
        const others = past.get(name);
        if (others === undefined) return this.table(name);
        const table = made.get(name) ?? this.table(name).with(others);
        made.set(name, table);
        return table;
      },
    };
  }

  private change(table: TableName, id: string, after: Row | undefined): void {
    if (this.undo === undefined) throw new Error('a row changes in a transaction only');
    const before = this.table(table).set(id, after);
    this.undo.push({ table, id, before, after });
  }

  private commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const at = this.now();
    if (this.log.length > MOST_LOGGED) this.log = this.log.slice(-MOST_LOGGED / 2);
    for (const change of changes) this.log.push({ ...change, at });
    this.onCommit(netChanges(changes));
  }
}

// One change for each row: what was there first and what is there last. A row that came and went was never there.
function netChanges(changes: readonly Change[]): readonly Change[] {
  const net = new Map<string, Change>();
  for (const change of changes) {
    const key = `${change.table} ${change.id}`;
    const first = net.get(key);
    net.set(key, first === undefined ? change : { ...change, before: first.before });
  }
  return [...net.values()].filter(({ before, after }) => before !== undefined || after !== undefined);
}
