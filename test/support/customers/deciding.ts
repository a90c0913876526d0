import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { api, ApiResponse } from '../app/api';
import type { StoredRecords } from '../database/stored-records';

type Api = ReturnType<typeof api>;

/** A record by platform and native ID: `platform_a 1`. */
export type RecordText = `${PlatformName} ${string}`;

const nameOf = (text: RecordText) => {
  const [platform = '', platform_id = ''] = text.split(' ');
  return { platform, platform_id };
};

/** Decides about two records. */
export function decide(
  client: Api,
  decision: 'link' | 'not_same',
  entityType: StoredEntityType,
  records: readonly [RecordText, RecordText],
  more: object = {},
): Promise<ApiResponse> {
  return client.post('/reconciliation/decisions', {
    decision,
    entity_type: entityType,
    records: records.map(nameOf),
    reason: 'Seen on paper',
    decided_by: 'Kim',
    ...more,
  });
}

/** Withdraws a decision. */
export function withdraw(client: Api, id: string, more: object = {}): Promise<ApiResponse> {
  return client.send('DELETE', `/reconciliation/decisions/${id}`, {
    body: { reason: 'A mistake', decided_by: 'Lee', ...more },
  });
}

/**
 * Every row of every table with rows of the customer, as text. The count of stored bytes is left out, because an
 * instance updates it in the background at any time.
 */
export async function everythingOf(
  stored: StoredRecords,
  customerId: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = await stored.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'customer_id' and table_name <> 'storage_usage'
     order by 1`,
  );
  const rows: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const found = await stored.query<{ row: string }>(
      `select t::text as row from ${name} t where t.customer_id = $1 order by 1`,
      [customerId],
    );
    rows[name] = found.map(({ row }) => row);
  }
  return rows;
}
