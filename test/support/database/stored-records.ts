import { Pool } from 'pg';

/** A record as it is stored. */
export interface StoredRow {
  /** Platform, type and native ID. */
  readonly record: string;
  readonly canonicalId: string;
  /** Its references by canonical field, as far as they are resolved. */
  readonly references: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly payload: string;
}

/** Reads the database of the service directly. */
export class StoredRecords {
  private constructor(private readonly pool: Pool) {}

  static async open(databaseUrl: string): Promise<StoredRecords> {
    // A client takes one query at a time. A pool of one connection queues the queries that tests send concurrently.
    const pool = new Pool({ connectionString: databaseUrl, max: 1, idleTimeoutMillis: 0 });
    (await pool.connect()).release();
    return new StoredRecords(pool);
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  async query<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(sql, [...parameters])).rows;
  }

  /** All records of a customer. */
  async of(customerId: string): Promise<readonly StoredRow[]> {
    const rows = await this.query<Record<string, string | null> & { record: string; payload: string }>(
      `select platform || ' ' || entity_type || ' ' || platform_id as record, canonical_id,
         project_canonical_id as project_id, customer_canonical_id as customer_id,
         contract_canonical_id as contract_id, invoice_canonical_id as invoice_id, payload::text as payload
       from platform_records where customer_id = $1
       order by platform, entity_type, native_order, platform_id`,
      [customerId],
    );
    return rows.map(({ record, canonical_id, payload, ...references }) => ({
      record,
      canonicalId: canonical_id ?? '',
      references: Object.fromEntries(
        Object.entries(references).filter((entry): entry is [string, string] => entry[1] !== null),
      ),
      payload,
    }));
  }

  /** Deletes the records of a customer's connects, so that they can be connected in another order. */
  async forget(customerId: string): Promise<void> {
    await this.query('delete from canonical_objects where customer_id = $1', [customerId]);
    await this.query('delete from connections where customer_id = $1', [customerId]);
  }
}

/** The records of each object, whatever its ID. */
export function objectsOf(rows: readonly StoredRow[]): readonly (readonly string[])[] {
  const members = new Map<string, string[]>();
  for (const { record, canonicalId } of rows)
    members.set(canonicalId, [...(members.get(canonicalId) ?? []), record].sort());
  return [...members.values()].sort((one, other) => (String(one) < String(other) ? -1 : 1));
}
