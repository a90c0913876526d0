import { storedEntityTypes } from '@app/mapper';
import type { Store } from '../database/store';
import { copyLine } from './copy-text';
import { readIncoming, type IncomingRecord } from '../records/incoming-record';
import type { Connection, Connector } from '../connectors/connector';

const columns = [
  'entity_type',
  'platform_id',
  'native_order',
  'variant',
  'currency',
  'business_key',
  'number',
  'project_ref',
  'customer_ref',
  'contract_ref',
  'invoice_ref',
  'payload',
  'modified_at',
] as const satisfies readonly (keyof IncomingRecord)[];

/** What was seen while staging. */
export interface Staged {
  /** Records without an ID of their own, which cannot be stored. */
  readonly withoutId: number;
  /** Fields that do not fit and stay out of the canonical objects; the raw records keep them. */
  readonly unreadableFields: number;
}

const LINES_PER_CHUNK = 500;

/**
 * Copies a source's records into the temporary table `incoming`, one row a record. The records stream through: what
 * is held at any time is a chunk of lines.
 */
export async function stageRecords(
  store: Store,
  connection: Connection,
  currency: string,
  connector: Connector,
): Promise<Staged> {
  await store.query(`create temporary table incoming (
    entity_type text collate "C" not null, platform_id text collate "C" not null, native_order text collate "C" not null,
    variant text collate "C", currency text collate "C", business_key text collate "C", number text collate "C",
    project_ref text collate "C", customer_ref text collate "C", contract_ref text collate "C", invoice_ref text collate "C",
    payload json not null, modified_at text collate "C"
  ) on commit drop`);
  const seen = { withoutId: 0, unreadableFields: 0 };
  await store.copyIn(
    `copy incoming (${columns.join(', ')}) from stdin`,
    lines(connection, currency, connector, seen),
  );
  await store.query(keepNewestCopies);
  await store.query('analyze incoming (entity_type, platform_id)');
  return seen;
}

async function* lines(
  connection: Connection,
  currency: string,
  connector: Connector,
  seen: { withoutId: number; unreadableFields: number },
): AsyncGenerator<string> {
  let chunk: string[] = [];
  const { signal } = new AbortController();
  for (const entityType of storedEntityTypes) {
    for await (const page of connector.read(connection, { entityType }, null, signal)) {
      for (const sourceRecord of page.records) {
        const { record, unreadableFields } = readIncoming(connection.platform, currency, sourceRecord);
        seen.unreadableFields += unreadableFields;
        if (record === undefined) seen.withoutId += 1;
        else chunk.push(copyLine(columns.map((column) => record[column])));
        if (chunk.length === LINES_PER_CHUNK) {
          yield chunk.join('');
          chunk = [];
        }
      }
    }
  }
  if (chunk.length > 0) yield chunk.join('');
}

// Paging over a moving list shows a record twice. Which copy stays must not depend on the order they came in. Times are
// UTC with as many decimals as there are; without the Z, which sorts behind all digits, a longer fraction is a later one.
const keepNewestCopies = `
  delete from incoming
  using (
    select ctid as place, row_number() over (
      partition by entity_type, platform_id
      order by rtrim(modified_at, 'Z') desc nulls last, payload::text collate "C" desc, variant, ctid
    ) as rank
    from incoming
    where (entity_type, platform_id) in (
      select entity_type, platform_id from incoming group by entity_type, platform_id having count(*) > 1
    )
  ) copies
  where incoming.ctid = copies.place and copies.rank > 1`;
