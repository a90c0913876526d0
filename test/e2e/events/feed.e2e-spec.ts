import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { FeedReader, feedOf } from '../../support/customers/feed';
import { portfolios, type Portfolios } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

const PAYMENT = '1823456';

describe('GET /events', () => {
  let app: RunningApp;
  let all: Portfolios;
  beforeAll(async () => {
    app = await startApp();
    all = await portfolios(app);
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });

  it('tells of a first load, object by object, and of the run behind them', async () => {
    const customer = await all.connect(['platform_a']);
    const events = await feedOf(customer.client);
    const objects = events.slice(0, -1);
    expect(new Set(objects.map(({ type }) => type))).toEqual(new Set(['object.created']));
    const run = events.at(-1);
    expect(run).toMatchObject({
      type: 'run.completed',
      data: { platform: 'platform_a', mode: 'sandbox', complete: true, added: objects.length, linked: 0 },
    });
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, place) => place + 1));
    const types = objects.map(({ data }) => data.entity_type as string);
    expect(types.indexOf('payment')).toBeGreaterThan(types.lastIndexOf('invoice'));
    for (const { data } of objects.slice(0, 20)) {
      const { body } = await customer.client.get(`/objects/${data.canonical_id}`);
      expect(data).toMatchObject({
        version: body.data.version,
        object: body.data.data,
        records: body.data.mappings,
        origin: { type: 'run', run_id: run?.data.run_id, platform: 'platform_a' },
        fields: [],
      });
    }
  });

  it('tells what a second platform links, and what is new', async () => {
    const customer = await all.connect();
    const events = await feedOf(customer.client);
    const ids = new Map<string, string[]>();
    for (const { type, data } of events)
      if (type.startsWith('object.'))
        ids.set(data.canonical_id, [...(ids.get(data.canonical_id) ?? []), type]);
    const listed = [];
    for (const platform of ['platform_a', 'platform_b'] as const)
      for (const type of ['project', 'customer', 'contract', 'invoice', 'payment'] as const)
        listed.push(...(await customer.list(platform, type)));
    expect(new Set(ids.keys())).toEqual(new Set(listed.map(({ canonical_id: id }) => id)));
    for (const [id, types] of ids) {
      const isLinked = listed.some(
        ({ canonical_id, mappings }) => canonical_id === id && mappings.length === 2,
      );
      expect(types).toEqual(isLinked ? ['object.created', 'object.changed'] : ['object.created']);
    }
  });

  it('tells of a change with its fields, origin and version, and of what became of it', async () => {
    const customer = await all.connect();
    const reader = new FeedReader();
    await reader.read(customer.client);
    const { canonical_id: id } = await customer.find('platform_a', 'payment', PAYMENT);
    const { body } = await customer.canonical('payment', id, { notes: 'for the feed' });
    const [changed, settled, ...more] = await reader.read(customer.client);
    const { body: now } = await customer.client.get(`/objects/${id}`);
    expect(more).toEqual([]);
    expect(changed).toMatchObject({
      type: 'object.changed',
      data: {
        entity_type: 'payment',
        canonical_id: id,
        version: now.data.version,
        object: now.data.data,
        origin: { type: 'propagation', propagation_id: body.data.propagation_id },
      },
    });
    expect(changed?.data.fields).toContainEqual(
      expect.objectContaining({ field: 'notes', after: 'for the feed' }),
    );
    expect(settled).toMatchObject({
      type: 'propagation.settled',
      data: {
        propagation_id: body.data.propagation_id,
        canonical_id: id,
        state: 'settled',
        propagated: { platform_a: { status: 'applied' }, platform_b: { status: 'applied' } },
      },
    });
    expect(await reader.read(customer.client)).toEqual([]);
  });

  it('tells of records that people part and join again', async () => {
    const customer = await all.connect();
    const reader = new FeedReader();
    await reader.read(customer.client);
    const { canonical_id: id, mappings } = await customer.find('platform_a', 'payment', PAYMENT);
    const decision = {
      decision: 'not_same',
      entity_type: 'payment',
      records: mappings,
      reason: 'Two payments',
      decided_by: 'Mariam',
    };
    const made = await customer.client.post('/reconciliation/decisions', decision);
    expect(made.status).toBe(200);
    const parted = await reader.read(customer.client);
    expect(parted.map(({ type }) => type).toSorted()).toEqual([
      'decision.made',
      'object.changed',
      'object.parted',
    ]);
    const [own, other] = ['object.changed', 'object.parted'].map((type) =>
      parted.find((event) => event.type === type),
    );
    expect([own?.data.canonical_id, other?.data.from]).toEqual([id, id]);
    expect([own?.data.records, other?.data.records].map((records) => records.length)).toEqual([1, 1]);
    expect(parted.find(({ type }) => type === 'decision.made')?.data).toMatchObject({
      decision_id: made.body.data.id,
      decision: 'not_same',
      reason: 'Two payments',
      decided_by: 'Mariam',
    });
    const gone = { reason: 'One after all', decided_by: 'Omar' };
    const path = `/reconciliation/decisions/${made.body.data.id}`;
    expect((await customer.client.send('DELETE', path, { body: gone })).status).toBe(200);
    const joined = await reader.read(customer.client);
    expect(joined.map(({ type }) => type).toSorted()).toEqual([
      'decision.withdrawn',
      'object.changed',
      'object.merged',
    ]);
    const merged = joined.find(({ type }) => type === 'object.merged');
    const kept = joined.find(({ type }) => type === 'object.changed');
    expect(merged?.data.into).toBe(kept?.data.canonical_id);
    expect(joined.find(({ type }) => type === 'decision.withdrawn')?.data).toMatchObject(gone);
  });

  it('tells of cases, acceptances and sign-offs', async () => {
    const customer = await all.connect();
    const { client } = customer;
    const through = '2026-06-30';
    const { body: read } = await client.get(`/reconciliation?currency=USD&through=${through}`);
    const { body: open } = await client.get('/reconciliation/cases?limit=500');
    const opened = await feedOf(client, { type: 'case.opened' });
    expect(new Set(opened.map(({ data }) => data.case_id))).toEqual(
      new Set(open.data.map(({ id }: { id: string }) => id)),
    );
    const reader = new FeedReader();
    await reader.read(client);
    const { as_of, digest } = read.data;
    const signoff = { as_of, through, currency: 'USD', digest, role: 'prepared', signed_by: 'Mariam' };
    const signed = await client.post('/reconciliation/signoffs', signoff);
    expect(signed.status).toBe(200);
    const { body: alone } = await client.get(`/reconciliation/cases?kind=only_on&through=${through}&limit=1`);
    const [{ id: caseId, canonical_id: objectId }] = alone.data;
    const accepted = { reason: 'Billed by hand', decided_by: 'Mariam' };
    const path = `/reconciliation/cases/${caseId as string}`;
    expect((await client.send('PATCH', path, { body: { accepted } })).status).toBe(200);
    for (let turn = 0; turn < 2; turn += 1) await client.get('/reconciliation/signoffs');
    const told = await reader.read(client);
    expect(told.map(({ type }) => type)).toEqual([
      'statement.signed',
      'case.accepted',
      'statement.signoff_outdated',
    ]);
    expect(told[0]?.data).toMatchObject({
      signoff_id: signed.body.data.id,
      role: 'prepared',
      signed_by: 'Mariam',
    });
    expect(told[1]?.data).toMatchObject({ case_id: caseId, canonical_id: objectId, accepted });
    expect(told[2]?.data).toMatchObject({ signoff_id: signed.body.data.id, digest });
  });

  it('filters, pages without gaps, and goes on where a reader stopped', async () => {
    const customer = await all.connect();
    const whole = await feedOf(customer.client);
    const small = await feedOf(customer.client, { limit: '7' });
    expect(small).toEqual(whole);
    const filters = [
      ({ type }: (typeof whole)[number]) => type === 'object.changed',
      ({ data }: (typeof whole)[number]) => data.entity_type === 'invoice',
      ({ data }: (typeof whole)[number]) => data.canonical_id === whole[9]?.data.canonical_id,
    ];
    const queries: readonly Readonly<Record<string, string>>[] = [
      { type: 'object.changed' },
      { entity_type: 'invoice' },
      { canonical_id: whole[9]?.data.canonical_id as string },
    ];
    for (const [place, query] of queries.entries())
      expect(await feedOf(customer.client, { ...query, limit: '5' })).toEqual(
        whole.filter((event) => filters[place]?.(event)),
      );
    const since = whole.at(-1)?.at ?? '';
    expect(await feedOf(customer.client, { since })).toEqual(whole.filter(({ at }) => at >= since));
    const later = new Date(Date.parse(since) + 3_600_000).toISOString();
    expect(await feedOf(customer.client, { since: later })).toEqual([]);
  });

  it('refuses a cursor from after a backup once the backup is restored, however far the feed has come since', async () => {
    const customer = await all.connect(['platform_a']);
    const { body: kept } = await customer.client.get('/events?limit=3');
    const { canonical_id: id } = await customer.find('platform_a', 'payment', PAYMENT);
    await feedOf(customer.client);
    const [feed] = await customer.sql<{ last: string }>(
      'select last_sequence as last from event_feeds where customer_id = $1',
      [customer.customerId],
    );
    await customer.canonical('payment', id, { notes: 'after the backup' });
    await feedOf(customer.client);
    const { body: lost } = await customer.client.get(`/events?type=object.changed`);
    // What came after the backup is not in it.
    await customer.sql('delete from events where customer_id = $1 and sequence > $2::bigint', [
      customer.customerId,
      feed?.last,
    ]);
    await customer.sql('update event_feeds set last_sequence = $2::bigint where customer_id = $1', [
      customer.customerId,
      feed?.last,
    ]);
    const behind = `/events?type=object.changed&cursor=${lost.next_cursor as string}`;
    expectError(await customer.client.get(behind), 404, 'NOT_FOUND');
    for (const notes of ['restored', 'and going on']) await customer.canonical('payment', id, { notes });
    const anew = await feedOf(customer.client);
    expectError(await customer.client.get(behind), 404, 'NOT_FOUND');
    // Whoever recognises events by their IDs has not seen these, which have the numbers of others.
    const seen = (lost.data as { id: string; sequence: number }[]).filter(
      ({ sequence }) => sequence > Number(feed?.last),
    );
    const ofSeen = ({ sequence }: { sequence: number }) => seen.some((one) => one.sequence === sequence);
    expect(anew.filter(ofSeen)).toHaveLength(1);
    expect(anew.filter(({ id: known }) => seen.some((one) => one.id === known))).toEqual([]);
    const before = await customer.client.get(`/events?limit=3&cursor=${kept.next_cursor as string}`);
    expect(before.body.data).toMatchObject([{ sequence: 4 }, { sequence: 5 }, { sequence: 6 }]);
  });

  it('shows nothing of another customer', async () => {
    const [one, other] = [await all.connect(['platform_a']), await all.connect(['platform_a'])];
    const ids = (await feedOf(one.client)).map(({ id }) => id);
    const others = await feedOf(other.client);
    expect(others.filter(({ id }) => ids.includes(id))).toEqual([]);
    const { body } = await one.client.get('/events?limit=1');
    expectError(
      await other.client.get(`/events?limit=1&cursor=${body.next_cursor as string}`),
      400,
      'VALIDATION_ERROR',
    );
  });

  it.each([
    'type=object',
    'entity_type=thing',
    'since=yesterday',
    'limit=0',
    'limit=501',
    'cursor=x',
    'until=2026',
  ])('refuses %s', async (query) => {
    const customer = await all.open(['platform_a']);
    expectError(await customer.client.get(`/events?${query}`), 400, 'VALIDATION_ERROR');
  });

  it('needs the permission to read', async () => {
    const { key } = await app.issueKey('live', ['write']);
    const answer = await fetch(`${app.url}/api/v1/events`, { headers: { Authorization: `Bearer ${key}` } });
    expect(answer.status).toBe(403);
  });
});
