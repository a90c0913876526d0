import type { Body, ModelCustomer } from './customer';
import { fieldOf, pagesOf } from './reading';

// What changes with a stamp alone is no entry, so its chain has gaps. A definition of an own field is none either.
const unchained: ReadonlySet<string> = new Set(['updated_at', 'created_at']);

const isTold = (field: string): boolean => !unchained.has(field) && !field.startsWith('provider_metadata');
const isChained = (field: string): boolean => isTold(field) && !field.startsWith('custom.');

/**
 * The history of an object: what one entry says was before is what the one before it left; the newest values are the
 * present ones, as long as a platform has it; a read as of an entry shows the state after it; and no change is told twice.
 */
export async function expectHistory(customer: ModelCustomer, id: string): Promise<void> {
  const client = customer.client(0);
  const entries = await pagesOf<Body>(client, `/objects/${id}/history?limit=20`);
  const present = (await client.get(`/objects/${id}`)).body.data;
  const told = entries
    .filter(({ origin }) => origin.type === 'propagation')
    .map(({ origin, canonical_id: own }) => `${origin.propagation_id} ${own}`);
  expect(new Set(told).size).toBe(told.length);

  const left = new Map<string, Map<string, unknown>>();
  for (const { canonical_id: own, fields, change, at } of entries.toReversed()) {
    const values = left.get(own) ?? new Map<string, unknown>();
    left.set(own, values);
    for (const { field, before, after } of fields) {
      if (!isChained(field)) continue;
      if (change === 'changed')
        expect({ own, at, field, before }).toEqual({ own, at, field, before: values.get(field) });
      values.set(field, after);
    }
  }
  // A deleted object shows the last record of each platform together. By the history, one of them went before the other.
  const newest = present.state.deleted_at === null ? left.get(present.canonical_id) : undefined;
  for (const [field, value] of newest ?? [])
    expect({ field, value }).toEqual({ field, value: present.data[field] });

  for (const entry of entries.slice(0, 3)) {
    const { canonical_id: own, at, change, fields, records } = entry;
    const { data, mappings, state } = (await client.get(`/objects/${own}?as_of=${at}`)).body.data;
    const isThere = state.deleted_at === null;
    expect({ entry, state, mappings, isThere }).toEqual({
      ...{ entry, state, mappings },
      isThere: change !== 'disappeared',
    });
    if (records !== undefined) expect(mappings).toEqual(records.after);
    for (const { field, after } of fields)
      if (isTold(field)) expect({ at, field, after }).toEqual({ at, field, after: fieldOf(data, field) });
  }
}
