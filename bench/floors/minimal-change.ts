import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';

/**
 * The least that a change of an object with two records can be in one transaction, as prepared statements: lock the
 * object, read its records, write both, enter the change in the history.
 *
 * @param id native ID of the payment on platform_a
 */
export async function minimalChange(client: Client, customerId: string, id: number): Promise<void> {
  await client.query('begin');
  const { rows: objects } = await client.query<{ id: string }>({
    name: 'lock',
    text: `select o.id from canonical_objects o where o.customer_id = $1 and o.id = (
             select r.canonical_id from platform_records r
             where r.customer_id = $1 and r.platform = 'platform_a' and r.entity_type = 'payment' and r.platform_id = $2
           ) for update`,
    values: [customerId, String(id)],
  });
  const object = objects[0]?.id;
  const { rows: records } = await client.query<{ platform: string; platform_id: string; payload: string }>({
    name: 'read',
    text: `select platform, platform_id, payload::text as payload from platform_records
           where customer_id = $1 and canonical_id = $2`,
    values: [customerId, object],
  });
  if (records.length !== 2) throw new Error(`Payment ${id} has ${records.length} records`);
  for (const { platform, platform_id, payload } of records) {
    await client.query({
      name: 'write',
      text: `update platform_records set payload = $4, written_at = clock_timestamp()
             where customer_id = $1 and platform = $2 and entity_type = 'payment' and platform_id = $3`,
      values: [customerId, platform, platform_id, payload],
    });
  }
  await client.query({
    name: 'enter',
    text: `insert into propagations (customer_id, id, canonical_id, entity_type, request_id, updated_fields, outcome, decided_at)
           values ($1, $2, $3, 'payment', 'bench', '[]', '{}', now())`,
    values: [customerId, randomUUID(), object],
  });
  await client.query('commit');
}
