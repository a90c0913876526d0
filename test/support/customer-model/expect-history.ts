import type { Body, ModelCustomer } from './customer';
import { fieldOf, pagesOf } from './reading';

// Members of which the history has no chain: an entry only for a new timestamp does not exist, nor one for the
// definition of an own field.
const unchained: ReadonlySet<string> = new Set(['updated_at', 'created_at']);

const isTold = (field: string): boolean => !unchained.has(field) && !field.startsWith('provider_metadata');
const isChained = (field: string): boolean => isTold(field) && !field.startsWith('custom.');

/**
 * Expects of the history of an object that the earlier value of an entry is the later value of the entry before, that
 * the newest values are the present ones while a platform has the object, that a read as of an entry shows the state
 * after it, and that each change occurs once.
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
    const then = (await client.get(`/objects/${own}?as_of=${at}`)).body.data;
    const { canonical_id: named, data, mappings, state } = then;
    // While its records are part of another object, an ID names that one.
    const isThere = state.deleted_at === null && named === own;
    expect({ entry, state, mappings, isThere }).toEqual({
      ...{ entry, state, mappings },
      isThere: change !== 'disappeared',
    });
    if (named !== own) continue;
    if (records !== undefined) expect(mappings).toEqual(records.after);
    for (const { field, after } of fields)
      if (isTold(field)) expect({ at, field, after }).toEqual({ at, field, after: fieldOf(data, field) });
  }
}
