import { exponentOf, isCurrency, setMember, type JsonObject, type JsonValue } from '@app/mapper';
import type { SeededRandom, SimulatedClock } from '../../server';
import type { EntitySet, TableName } from '../model/entity-set';
import { NO_GUID } from '../model/field';
import { printedInstant } from '../model/instant';
import { ODataError } from '../odata-error';
import type { Row } from '../store/row';
import { Store, type Change } from '../store/store';
import type { Switches } from '../switches';
import { NumberSeries } from './number-series';

/** The properties of the company. */
export interface CompanyFacts {
  readonly id: string;
  readonly name: string;
  /** ISO 4217. */
  readonly localCurrency: string;
}

/** Codes that are maintained outside the API. No page shows them. */
export interface KnownCodes {
  readonly salespersons: Set<string>;
  readonly dimensionValues: Set<string>;
  readonly disputeStatuses: ReadonlyMap<string, string>;
}

/** The author of a write: a client of the API, a user, a read of a draft, or the set-up of the company. */
export type Cause = 'api' | 'edit' | 'reading' | 'setup';

/** A record that is being made or changed. */
export type Draft = Record<string, JsonValue>;

/** A company of the ERP: its tables, and the functions that all writes to them share. */
export class Company {
  readonly store: Store;
  readonly series = new NumberSeries();
  readonly codes: KnownCodes;
  private cause: Cause = 'setup';

  constructor(
    readonly facts: CompanyFacts,
    readonly switches: Switches,
    readonly clock: SimulatedClock,
    readonly random: SeededRandom,
    onCommit: (changes: readonly Change[], cause: Cause) => void,
  ) {
    this.store = new Store(
      () => clock.now(),
      (changes) => onCommit(changes, this.cause),
    );
    this.codes = {
      salespersons: new Set(),
      dimensionValues: new Set(),
      disputeStatuses: new Map(['DISPUTE', 'ONHOLD'].map((code) => [code, random.guid()])),
    };
  }

  /** Attributes the writes of `work` to an author. */
  caused<Result>(cause: Cause, work: () => Result): Result {
    const before = this.cause;
    this.cause = cause;
    try {
      return work();
    } finally {
      this.cause = before;
    }
  }

  /** A draft with every field of the page blank. */
  blank({ fields }: EntitySet): Draft {
    return Object.fromEntries([...fields].map(([name, { blank }]) => [name, blank]));
  }

  /** Inserts a row under a new ID, or under the one given. */
  insert(table: TableName, draft: Draft): Row {
    const given = draft.id;
    const id = typeof given === 'string' && given !== NO_GUID ? given : this.freshId(table);
    return this.store.put(table, { id, etag: this.etag(), values: this.stamped({ ...draft, id }) });
  }

  /** Replaces the values of a row. The row gets a new etag and time, even if the values are the same. */
  save(
    table: TableName,
    row: Row,
    values: JsonObject,
    marks: Pick<Row, 'posted' | 'unread'> = marksOf(row),
  ): Row {
    return this.store.put(table, { id: row.id, etag: this.etag(), values: this.stamped(values), ...marks });
  }

  /** The row with a business key; codes compare in upper case. */
  numbered(table: TableName, number: string, field = 'number'): Row | undefined {
    return this.store.table(table).by(field, number.trim().toUpperCase())[0];
  }

  /** @throws ODataError when another row of the table has the key */
  checkUnique(table: TableName, type: string, field: string, value: string, self?: Row): void {
    const taken = this.store.table(table).by(field, value);
    if (taken.every(({ id }) => id === self?.id)) return;
    throw this.duplicate(
      `The record in table ${type} already exists. Identification fields and values: ${field}='${value}'`,
    );
  }

  duplicate(message: string): ODataError {
    return new ODataError(
      this.switches.get('duplicateKeyStatus'),
      'Internal_EntityWithSameKeyExists',
      message,
    );
  }

  /** The working date of the company. */
  today(): string {
    return this.clock.date().toISOString().slice(0, 10);
  }

  /** The number of decimals of a currency's amounts; a blank code stands for the local currency. */
  places(code: string): number {
    const meant = code === '' ? this.facts.localCurrency : code;
    return isCurrency(meant) ? exponentOf(meant) : 2;
  }

  /** A new, unique etag. */
  etag(): string {
    const version = `${Math.floor(this.clock.now())}${this.random.integer(10 ** 5, 10 ** 6)}`;
    return `W/"${Buffer.from(`'19;${version};00;'`).toString('base64')}"`;
  }

  // The random sequence starts again when a company is restored, so a key may exist already.
  private freshId(table: TableName): string {
    for (;;) {
      const id = this.random.guid();
      if (this.store.table(table).get(id) === undefined) return id;
    }
  }

  private stamped(values: JsonObject): JsonObject {
    const stamped: Draft = { ...values };
    setMember(stamped, 'lastModifiedDateTime', printedInstant(this.clock.date()));
    return stamped;
  }
}

/** A field of a draft as text; blank when it has none. */
export function textIn(draft: Draft | JsonObject, field: string): string {
  const value = draft[field];
  return typeof value === 'string' ? value : '';
}

/** The marks of a row, for its next version. */
export function marksOf({ posted, unread }: Row): Pick<Row, 'posted' | 'unread'> {
  return { ...(posted && { posted }), ...(unread && { unread }) };
}
