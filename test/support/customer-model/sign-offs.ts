import type { ApiResponse } from '../app/api';
import type { Command } from './commands';
import type { Body, ModelCustomer, Signed } from './customer';
import { expectPossible, nothing, withKey } from './keyed-requests';
import { pagesOf } from './reading';

type Of<Name extends Command['do']> = Extract<Command, { do: Name }>;

const SIGNOFFS = '/reconciliation/signoffs';

const nameOf = (client: number): string => `Client ${client}`;

const standing = ({ signoffs: { made, withdrawn } }: ModelCustomer): readonly Signed[] =>
  [...made.values()].filter(({ id }) => !withdrawn.has(id));

const scopeOf = (type: string | null): string => (type === null || type === '' ? '' : `&entity_type=${type}`);

function note(customer: ModelCustomer, signed: Omit<Signed, 'figures'>, figures: string): void {
  customer.service.met.add(signed.role);
  customer.signoffs.made.set(signed.id, { ...signed, figures });
}

/**
 * The figures of a statement that a sign-off covers, without ages and deleted records. The digest covers rates as
 * well, which may change without any figure.
 */
function figuresOf({ types }: Body): string {
  return JSON.stringify(
    types.map(({ ages: _ages, counts: { deleted: _deleted, ...counts }, ...figures }: Body) => ({
      ...figures,
      counts,
    })),
  );
}

/** Signs the statement that was just read. Its digest stays valid, because the statement is of a past time. */
export async function sign(
  customer: ModelCustomer,
  { scope, keyed, client: place }: Of<'sign'>,
): Promise<void> {
  const read = await customer.client(place).get(`/reconciliation?currency=USD${scopeOf(scope)}`);
  expectPossible(read, 200);
  const { as_of, digest, complete } = read.body.data;
  const body = {
    ...{ as_of, digest, currency: 'USD', role: 'prepared', signed_by: nameOf(place) },
    ...(scope !== '' && { entity_type: scope }),
  };
  const send = (client: number, headers: Record<string, string> = {}) =>
    customer.client(client).post(SIGNOFFS, body, headers);
  const counted = (answer: ApiResponse): void => {
    expectPossible(answer, 200, 409);
    if (answer.status === 200) note(customer, answer.body.data, figuresOf(read.body.data));
    else if (complete === true) expect(answer.text).not.toMatch(/another digest/);
  };
  if (keyed) return withKey(customer, { send, isTwice: false, client: place, note: counted });
  counted(await send(place));
}

/** Reviews a prepared sign-off. Expects that the service refuses a reviewer who prepared it. */
export async function review(customer: ModelCustomer, { pick, isOwn, client }: Of<'review'>): Promise<void> {
  const prepared = standing(customer).filter(({ role }) => role === 'prepared');
  const one = prepared[pick % Math.max(1, prepared.length)];
  if (one === undefined) return nothing(customer);
  const { as_of, digest, entity_type: type } = one;
  const answer = await customer.client(client).post(SIGNOFFS, {
    ...{ as_of, digest, currency: 'USD', role: 'reviewed' },
    signed_by: isOwn ? one.signed_by : nameOf(client),
    ...(type !== null && { entity_type: type }),
  });
  expectPossible(answer, 200, 409);
  expect(answer.text).not.toMatch(/another digest/);
  if (answer.status === 200) note(customer, answer.body.data, one.figures);
}

export async function unsign(customer: ModelCustomer, { pick, client }: Of<'unsign'>): Promise<void> {
  const all = standing(customer);
  const one = all[pick % Math.max(1, all.length)];
  if (one === undefined) return nothing(customer);
  const answer = await customer.client(client).send('DELETE', `${SIGNOFFS}/${one.id}`, {
    body: { reason: 'A mistake', decided_by: nameOf(client) },
  });
  expectPossible(answer, 200, 409);
  if (answer.status === 200) customer.signoffs.withdrawn.add(one.id);
}

/** Lists sign-offs while others sign and withdraw. Expects every sign-off that no client withdraws. */
export async function listSignoffs(customer: ModelCustomer, { client }: Of<'signoffs'>): Promise<void> {
  const before = [...customer.signoffs.made.keys()];
  const listed = await pagesOf<Body>(customer.client(client), `${SIGNOFFS}?limit=20`);
  const ids = listed.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(before.filter((id) => !ids.includes(id))).toEqual([]);
}

/**
 * Expects that all sign-offs are listed, and that those stand that no client withdrew. Under one digest a name occurs
 * once, and a review has a preparation by another name. A sign-off is current if and only if the statement of its
 * scope has its figures now.
 *
 * @returns IDs of sign-offs that stand and are not current
 */
export async function expectSignoffs(customer: ModelCustomer): Promise<readonly string[]> {
  const { made, withdrawn } = customer.signoffs;
  const listed = await pagesOf<Body>(customer.client(0), `${SIGNOFFS}?limit=50`);
  const facts = listed.map(({ id, role, signed_by, digest, state }) => ({
    id,
    role,
    signed_by,
    digest,
    state,
  }));
  const byId = (one: { readonly id: string }, other: { readonly id: string }): number =>
    one.id < other.id ? -1 : 1;
  expect(facts.toSorted(byId)).toEqual(
    [...made.values()]
      .map(({ id, role, signed_by, digest }) => ({
        ...{ id, role, signed_by, digest },
        state: withdrawn.has(id) ? 'withdrawn' : 'standing',
      }))
      .toSorted(byId),
  );

  const stand = listed.filter(({ state }) => state === 'standing');
  const names = stand.map(({ digest, signed_by: name }) => `${digest} ${name}`);
  expect(new Set(names).size).toBe(names.length);
  const prepared = new Set(stand.filter(({ role }) => role === 'prepared').map(({ digest }) => digest));
  expect(stand.filter(({ digest }) => !prepared.has(digest))).toEqual([]);

  const present = new Map<string, string>();
  for (const scope of new Set(stand.map(({ entity_type: type }) => scopeOf(type)))) {
    const { body } = await customer.client(1).get(`/reconciliation?currency=USD${scope}`);
    present.set(scope, figuresOf(body.data));
  }
  const current = ({ id, entity_type: type }: Body): boolean =>
    present.get(scopeOf(type)) === made.get(id)?.figures;
  expect(
    stand.map((one) => ({ id: one.id, current: one.current, isChanged: one.changes_total > 0 })),
  ).toEqual(stand.map((one) => ({ id: one.id, current: current(one), isChanged: !current(one) })));
  return stand.filter((one) => !current(one)).map(({ id }) => id);
}
