import type { ApiResponse } from '../app/api';
import type { StoredType } from '../customers/portfolio';
import type { Command, WantedChange } from './commands';
import type { Body, ModelCustomer, Shown } from './customer';
import { expectPossible, nothing, withKey } from './keyed-requests';
import { nativeOwn, OWN_FIELD, ownPlaces } from './own-fields';
import { expectTag, expectToFootTo, pagesOf } from './reading';
import { listSignoffs, review, sign, unsign } from './sign-offs';

type Of<Name extends Command['do']> = Extract<Command, { do: Name }>;

/** The fields that changes of a type set: canonical, on platform_a, on platform_b. */
const forms = {
  payment: {
    text: ['notes', 'notes', 'comment'],
    key: ['check_number', 'check_number', 'externalDocumentNumber'],
  },
  invoice: {
    text: ['number', 'invoice_number', 'externalDocumentNumber'],
    key: ['number', 'invoice_number', 'externalDocumentNumber'],
  },
} as const;

const isChanged = (shown: Shown): shown is Shown & { entity_type: keyof typeof forms } =>
  shown.entity_type in forms;

/** A record to change; payments are more frequent than invoices. */
export function chosen(customer: ModelCustomer, pick: number): Shown | undefined {
  const type: StoredType = pick % 4 === 0 ? 'invoice' : 'payment';
  const all = customer.shown.filter(({ entity_type }) => entity_type === type);
  return all[pick % Math.max(1, all.length)];
}

/** The body of a change of a record, with a text or number that no other change uses. */
export function bodyOf(customer: ModelCustomer, one: Shown, { by, field, cents }: WantedChange): Body {
  if (!isChanged(one)) throw new Error(`Nothing changes ${one.entity_type}`);
  const [canonical, onA, onB] = forms[one.entity_type][field === 'key' ? 'key' : 'text'];
  const text = `${field} ${customer.next()}`;
  const { platform } = one;
  const entity_type = one.entity_type;
  const own = field === 'own' ? customer.fields.get(entity_type) : undefined;
  if (by === 'canonical') {
    const { currency = 'USD' } = one.data.amount ?? {};
    const other = own === undefined ? { [canonical]: text } : { custom: { [OWN_FIELD]: text } };
    const data = field === 'amount' ? { amount: { amount: cents, currency } } : other;
    return { format: 'canonical', entity_type, canonical_id: one.canonical_id, data, create_missing: true };
  }
  const amount = platform === 'platform_a' ? (cents / 100).toFixed(2) : -cents / 100;
  const named = platform === 'platform_a' ? onA : onB;
  // An invoice cannot take an amount, because it follows from its lines.
  const other = own === undefined ? { [named]: text } : nativeOwn(own[platform].path, text);
  const data = field === 'amount' && entity_type === 'payment' ? { amount } : other;
  return { format: 'platform', entity_type, platform, platform_id: one.id, data, create_missing: true };
}

/** The header with the condition, if there is one. */
function conditionOf(
  customer: ModelCustomer,
  one: Shown,
  match: WantedChange['match'],
): Record<string, string> {
  if (match === 'none') return {};
  if (match === 'any') return { 'If-Match': '*' };
  const known = customer.versions.get(one.canonical_id) ?? [];
  return { 'If-Match': `"${match === 'current' ? one.version : (known[0] ?? 'unknown')}"` };
}

/** Records the effects that an answer reports. */
function note(customer: ModelCustomer, answer: ApiResponse): void {
  expectPossible(answer, 200, 400, 404, 409, 422);
  const details = answer.body.error?.details === undefined ? '' : ' with details';
  customer.service.met.add(`change ${answer.status}${details}`);
  if (answer.status !== 200) return;
  const { propagation_id: id, dry_run: isDry, propagated } = answer.body.data;
  if (isDry === true) expect(id).toBeUndefined();
  else if (id !== undefined) customer.propagations.add(id);
  for (const entry of Object.values<Body>(propagated)) expect(entry.status).not.toBe('uncertain');
}

async function change(customer: ModelCustomer, wish: Of<'change'>): Promise<void> {
  const one = chosen(customer, wish.pick);
  if (one === undefined) return nothing(customer);
  const body = { ...bodyOf(customer, one, wish), ...(wish.isDry && { dry_run: true }) };
  const condition = conditionOf(customer, one, wish.match);
  const send = (client: number, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    customer.client(client).post('/propagate', body, { ...condition, ...headers });
  const { client, keyed, twice: isTwice } = wish;
  const counted = (answer: ApiResponse): void => note(customer, answer);
  if (keyed) return withKey(customer, { send, isTwice, client, note: counted });
  counted(await send(client));
}

/**
 * Expects that at most one of several writers with the same version succeeds. No change restores an earlier version,
 * because each text is used once.
 */
async function race(customer: ModelCustomer, { pick, writers }: Of<'race'>): Promise<void> {
  const one = chosen(customer, pick);
  if (one === undefined) return nothing(customer);
  const wish = { pick, by: 'canonical', field: 'text', cents: 0, match: 'current', isDry: false } as const;
  const answers = await Promise.all(
    Array.from({ length: writers }, (_, place) =>
      customer
        .client(place)
        .post('/propagate', bodyOf(customer, one, wish), { 'If-Match': `"${one.version}"` }),
    ),
  );
  for (const answer of answers) note(customer, answer);
  customer.wins.set(one.version, [
    ...(customer.wins.get(one.version) ?? []),
    ...answers.filter(({ status }) => status === 200),
  ]);
}

/**
 * Two payments for a decision, mostly such that it has an effect: two unlinked records to link, or two linked ones to
 * separate.
 */
function pairFor(
  customer: ModelCustomer,
  decision: 'link' | 'not_same',
  [first, second]: readonly [number, number],
): readonly [Shown | undefined, Shown | undefined] {
  const payments = customer.shown.filter(({ entity_type }) => entity_type === 'payment');
  const fitting = payments.filter(({ mappings }) => (mappings.length === 1) === (decision === 'link'));
  const [allOnA, allOnB] = (['platform_a', 'platform_b'] as const).map((platform) => {
    const own = (some: readonly Shown[]) => some.filter((one) => one.platform === platform);
    return first % 4 > 0 && own(fitting).length > 0 ? own(fitting) : own(payments);
  });
  const onA = allOnA?.[first % Math.max(1, allOnA.length)];
  const twin = allOnB?.find((one) => one.canonical_id === onA?.canonical_id);
  return [onA, twin ?? allOnB?.[second % Math.max(1, allOnB.length)]];
}

async function decide(customer: ModelCustomer, wanted: Of<'decide'>): Promise<void> {
  const { decision, pick, keyed, isDry, client: place } = wanted;
  const [onA, onB] = pairFor(customer, decision, pick);
  if (onA === undefined || onB === undefined) return nothing(customer);
  const body = {
    decision,
    entity_type: 'payment',
    records: [onA, onB].map(({ platform, id }) => ({ platform, platform_id: id })),
    reason: 'Seen on paper',
    decided_by: `client ${place}`,
    ...(isDry && { dry_run: true }),
  };
  const send = (client: number, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    customer.client(client).post('/reconciliation/decisions', body, headers);
  const counted = (answer: ApiResponse): void => {
    expectPossible(answer, 200, 404, 409);
    customer.service.met.add(`${decision} ${answer.status}`);
    if (answer.status === 200 && !isDry) customer.decisions.made.add(answer.body.data.id);
  };
  if (keyed) return withKey(customer, { send, isTwice: false, client: place, note: counted });
  counted(await send(place));
}

async function withdraw(customer: ModelCustomer, { pick, isDry, client }: Of<'withdraw'>): Promise<void> {
  const { made, withdrawn } = customer.decisions;
  const open = [...made].filter((id) => !withdrawn.has(id));
  const id = open[pick % Math.max(1, open.length)];
  if (id === undefined) return nothing(customer);
  const answer = await customer.client(client).send('DELETE', `/reconciliation/decisions/${id}`, {
    body: { reason: 'A mistake', decided_by: `client ${client}`, ...(isDry && { dry_run: true }) },
  });
  expectPossible(answer, 200, 409);
  if (answer.status === 200 && !isDry) withdrawn.add(id);
}

async function connect(
  customer: ModelCustomer,
  { platform, keyed, client: place }: Of<'connect'>,
): Promise<void> {
  const send = (client: number, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    customer.client(client).post('/connect', { platform }, headers);
  const counted = (answer: ApiResponse): void => expectPossible(answer, 200, 202, 409);
  if (keyed) return withKey(customer, { send, isTwice: false, client: place, note: counted });
  counted(await send(place));
}

/** Defines or redefines an own field. */
async function define(customer: ModelCustomer, { type, place, client }: Of<'define'>): Promise<void> {
  const places = ownPlaces(type, place);
  const answer = await customer.client(client).send('PUT', `/fields/${type}/${OWN_FIELD}`, {
    body: { codec: 'text', platforms: places },
  });
  expectPossible(answer, 200, 409);
  if (answer.status === 200) customer.defined.push({ type, places, since: answer.body.data.since });
}

async function undefine(customer: ModelCustomer, { type, client }: Of<'undefine'>): Promise<void> {
  const answer = await customer.client(client).send('DELETE', `/fields/${type}/${OWN_FIELD}`, { body: {} });
  expectPossible(answer, 200, 404, 409);
  if (answer.status === 200) customer.defined.push({ type, places: undefined, since: null });
}

/** Reads the outcome of an earlier change. */
async function outcome(customer: ModelCustomer, { pick, client }: Of<'outcome'>): Promise<void> {
  const all = [...customer.propagations];
  const id = all[pick % Math.max(1, all.length)];
  if (id === undefined) return nothing(customer);
  const answer = await customer.client(client).get(`/propagations/${id}`);
  expectPossible(answer, 200);
  expect(answer.body.data.propagation_id).toBe(id);
}

async function look(customer: ModelCustomer, { pick, client: place }: Of<'look'>): Promise<void> {
  const one = chosen(customer, pick);
  if (one === undefined) return nothing(customer);
  const client = customer.client(place);
  const answer = await client.get(`/objects/${one.canonical_id}`, { 'If-None-Match': `"${one.version}"` });
  expectPossible(answer, 200, 304, 404);
  if (answer.status === 200) expectTag(answer);
}

async function history(customer: ModelCustomer, { pick, client }: Of<'history'>): Promise<void> {
  const one = chosen(customer, pick);
  if (one === undefined) return nothing(customer);
  expectPossible(await customer.client(client).get(`/objects/${one.canonical_id}/history`), 200, 404);
}

async function cases(customer: ModelCustomer, { limit, client }: Of<'cases'>): Promise<void> {
  const all = await pagesOf<Body>(customer.client(client), `/reconciliation/cases?limit=${limit}`);
  // A case that closes and reopens between two pages is listed again, with its new opening time.
  const places = all.map(({ id, opened_at: openedAt }) => `${String(id)} ${String(openedAt)}`);
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
}

/** Performs a command, and checks of its answers what must hold whatever other clients do at the same time. */
export async function perform(customer: ModelCustomer, command: Command): Promise<void> {
  customer.service.met.add(command.do);
  switch (command.do) {
    case 'connect':
      return connect(customer, command);
    case 'read':
      return void (await customer.read(command.platform, command.client));
    case 'change':
      return change(customer, command);
    case 'race':
      return race(customer, command);
    case 'decide':
      return decide(customer, command);
    case 'withdraw':
      return withdraw(customer, command);
    case 'statement': {
      const { status, body } = await customer.client(command.client).get('/reconciliation');
      expect(status).toBe(200);
      return expectToFootTo(body.data);
    }
    case 'cases':
      return cases(customer, command);
    case 'pages': {
      const { platform, limit, client } = command;
      const path = `/objects?platform=${platform}&entity_type=payment&limit=${limit}`;
      const found = await pagesOf<Shown>(customer.client(client), path);
      return void customer.pages.push({ platform, ids: found.map(({ id }) => id) });
    }
    case 'look':
      return look(customer, command);
    case 'history':
      return history(customer, command);
    case 'outcome':
      return outcome(customer, command);
    case 'events':
      return void (await customer.readers[command.client]?.readPage(customer.client(command.instance)));
    case 'sign':
      return sign(customer, command);
    case 'review':
      return review(customer, command);
    case 'unsign':
      return unsign(customer, command);
    case 'signoffs':
      return listSignoffs(customer, command);
    case 'define':
      return define(customer, command);
    case 'undefine':
      return undefine(customer, command);
    case 'rate':
      return customer.setRate(command.rate, command.client);
    case 'precedence':
      return customer.setPrecedence(command.platforms, command.client);
  }
}
