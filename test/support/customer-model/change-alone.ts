import type { ApiResponse } from '../app/api';
import { everythingOf } from '../customers/deciding';
import type { WantedChange } from './commands';
import type { Body, ModelCustomer, Shown } from './customer';
import { bodyOf, chosen } from './perform-command';
import { expectTag, fieldOf } from './reading';

/**
 * Makes one change while no other request is in progress: first as a dry run, then for real, then by a writer who does
 * not know of it. Expects that the dry run changes nothing and predicts the result, that the version in the answer is
 * the next one to be read, and that a writer with the previous version is told the values of each field.
 *
 * @returns the ID of the object
 */
export async function changeAlone(customer: ModelCustomer, wish: WantedChange): Promise<string | undefined> {
  const one = chosen(customer, wish.pick);
  if (one === undefined) return undefined;
  const client = customer.client(wish.pick);
  const body = bodyOf(customer, one, wish);
  const match = { 'If-Match': `"${one.version}"` };

  const before = await everythingOf(customer.service.stored, customer.id);
  const dry = await client.post('/propagate', { ...body, dry_run: true }, match);
  expect(await everythingOf(customer.service.stored, customer.id)).toEqual(before);

  const real = await client.post('/propagate', body, match);
  expect([real.status, real.body.error?.message]).toEqual([dry.status, dry.body.error?.message]);
  if (real.status !== 200) {
    expect([400, 409, 422]).toContain(real.status);
    expect(await everythingOf(customer.service.stored, customer.id)).toEqual(before);
    return one.canonical_id;
  }
  customer.service.met.add('tried and made');
  const { propagation_id: id, canonical } = real.body.data;
  if (id !== undefined) customer.propagations.add(id);
  expect(dry.body.data.canonical.version).toBe(one.version);
  expectForetold(dry.body.data, real.body.data);

  const next = await customer.client(wish.pick + 1).get(`/objects/${canonical.id}`);
  expectTag(next);
  expect([next.body.data.version, next.body.data.data]).toEqual([canonical.version, canonical.data]);
  await expectTold(customer, one, next, wish);
  return one.canonical_id;
}

/** Expects that the dry run predicts the change, except for timestamps and IDs that a platform assigns. */
function expectForetold(dry: Body, real: Body): void {
  expect(real.canonical.updated_fields).toEqual(dry.canonical.updated_fields);
  expect(real.references).toEqual(dry.references);
  expect(real.warnings).toEqual(dry.warnings);
  expect(Object.keys(real.propagated)).toEqual(Object.keys(dry.propagated));
  let creates = false;
  for (const [platform, entry] of Object.entries<Body>(real.propagated)) {
    const foretold = dry.propagated[platform];
    expect([platform, entry.status, entry.conversions]).toEqual([
      platform,
      foretold.status,
      foretold.conversions,
    ]);
    const isNew = foretold.platform_id === undefined && entry.platform_id !== undefined;
    creates ||= isNew;
    if (!isNew) expect(unstamped(entry.data ?? null)).toEqual(unstamped(foretold.data ?? null));
  }
  if (!creates) expect(unstamped(real.canonical.data)).toEqual(unstamped(dry.canonical.data));
}

/** Expects that a client with the previous version is refused, and told all three values of each field. */
async function expectTold(
  customer: ModelCustomer,
  known: Shown,
  present: ApiResponse,
  wish: WantedChange,
): Promise<void> {
  const { data, version, canonical_id: id } = present.body.data;
  if (version === known.version) return;
  const body = bodyOf(customer, known, { ...wish, by: 'canonical', field: 'text' });
  const refused = await customer.client(0).post('/propagate', body, { 'If-Match': `"${known.version}"` });
  expect({ status: refused.status, error: refused.body.error?.type }).toEqual({
    status: 409,
    error: 'CONFLICT_ERROR',
  });
  const { conflicts } = refused.body.error.details;
  const names = conflicts.map(({ field }: Body) => field);
  expect(names).toEqual(expect.arrayContaining(Object.keys(body.data)));
  for (const { field, base, theirs, mine } of conflicts) {
    expect({ id, field, base, theirs, mine }).toEqual({
      id,
      field,
      base: fieldOf(known.data, field) ?? null,
      theirs: fieldOf(data, field) ?? null,
      mine: field in body.data ? body.data[field] : (fieldOf(known.data, field) ?? null),
    });
  }
}

/** A value without members that differ with every write. */
function unstamped(value: Body): unknown {
  const stamps = ['updated_at', 'lastModifiedDateTime', '@odata.etag'];
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) => (stamps.includes(name) ? undefined : member)),
  );
}
