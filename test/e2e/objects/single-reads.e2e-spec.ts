import { platformNames, storedEntityTypes } from '@app/mapper';
import type { SourceRecord } from '../../../src/platforms/connector';
import { TransactionStore } from '../../../src/database/transaction/transaction-store';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listing } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(120_000);

type Client = ReturnType<typeof api>;

describe('one object', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  const now = async (): Promise<string> => {
    const [row] = await stored.query<{ now: string }>(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
    );
    return row?.now ?? '';
  };

  async function read(client: Client, id: string, more = '') {
    const answer = await client.get(`/objects/${id}${more}`);
    expect({ status: answer.status, error: answer.body?.error }).toEqual({ status: 200, error: undefined });
    return answer.body.data;
  }

  async function open() {
    const { key, customerId } = await service.openSession();
    return { key, customerId, client: api(service.url, key) };
  }

  async function connectBoth(
    { customerId, client }: Pick<Awaited<ReturnType<typeof open>>, 'customerId' | 'client'>,
    a: MovingPlatform,
    b: MovingPlatform,
  ): Promise<void> {
    for (const [platform, connector] of [
      ['platform_a', a],
      ['platform_b', b],
    ] as const) {
      sources.use(customerId, platform, connector);
      await makeLive(stored, customerId, platform);
      await connect(client, platform);
    }
  }

  /** A payment on both platforms, of which each says another date. */
  async function openPair() {
    const { key, customerId, client } = await open();
    const a = new MovingPlatform([
      record('payment', { id: 1, check_number: 'CHK-1', amount: '10.00', date: '2026-02-01', notes: 'on a' }),
    ]);
    const b = new MovingPlatform(
      [
        record('payment', {
          id: 'b-1',
          externalDocumentNumber: 'CHK-1',
          amount: -36.4,
          currencyCode: 'QAR',
          postingDate: '2026-02-03',
        }),
      ],
      'QAR',
    );
    await connectBoth({ customerId, client }, a, b);
    const [listed] = await listing(client, 'platform_a', 'payment');
    const id = listed?.canonical_id ?? '';
    const readAll = async (platform: 'platform_a' | 'platform_b', times = 1) => {
      for (let time = 0; time < times; time += 1) {
        await readPlatform(service, { customerId, platform });
      }
    };
    return { key, customerId, client, a, b, id, listed, readAll };
  }

  it('comes with every platform’s record, mappings and disagreements', async () => {
    const { client, id, listed } = await openPair();
    const [onB] = await listing(client, 'platform_b', 'payment');
    expect(await read(client, id)).toEqual({
      canonical_id: id,
      entity_type: 'payment',
      version: (listed as unknown as { version: string }).version,
      data: listed?.data,
      mappings: listed?.mappings,
      records: [
        {
          platform: 'platform_a',
          platform_id: '1',
          since: expect.stringMatching(/^20.*\.\d{6}Z$/),
          currency: 'USD',
          platform_data: listed?.platform_data,
        },
        {
          platform: 'platform_b',
          platform_id: 'b-1',
          since: expect.any(String),
          currency: 'QAR',
          platform_data: onB?.platform_data,
        },
      ],
      disagreements: [
        {
          field: 'date',
          values: {
            platform_a: { native: '2026-02-01', canonical: '2026-02-01' },
            platform_b: { native: '2026-02-03', canonical: '2026-02-03' },
          },
          stands: 'platform_a',
          why: expect.any(String),
        },
      ],
      evidence: expect.any(Array),
      ruled_out: [],
      ruled_out_total: 0,
      state: { deleted_at: null, open: false, held: false },
    });
  });

  it('of the sample data has the version and the mappings that its listings have', async () => {
    const { client } = await open();
    for (const platform of platformNames) await connect(client, platform);
    // An object of both platforms is in two listings.
    const known = new Map<string, Awaited<ReturnType<typeof read>>>();
    for (const platform of platformNames) {
      for (const type of storedEntityTypes) {
        for (const one of await listing(client, platform, type)) {
          const object = known.get(one.canonical_id) ?? (await read(client, one.canonical_id));
          known.set(one.canonical_id, object);
          const { version, data, mappings, records } = object;
          expect({ version, data, mappings }).toEqual({
            version: (one as unknown as { version: string }).version,
            data: one.data,
            mappings: one.mappings,
          });
          expect(records).toContainEqual(
            expect.objectContaining({ platform, platform_id: one.id, platform_data: one.platform_data }),
          );
        }
      }
    }
  });

  it('is not read again by who has its version', async () => {
    const { client, id } = await openPair();
    const first = await client.get(`/objects/${id}`);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(new RegExp(`^"${first.body.data.version}-[\\w-]{22}"$`));
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const again = await client.get(`/objects/${id}`, { 'If-None-Match': known });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    }
    expect((await client.get(`/objects/${id}`, { 'If-None-Match': '"another"' })).status).toBe(200);
    const change = { format: 'canonical', entity_type: 'payment', canonical_id: id, data: { notes: 'new' } };
    expect((await client.post('/propagate', change)).status).toBe(200);
    const changed = await client.get(`/objects/${id}`, { 'If-None-Match': tag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  it('is read again by who has its version when only the lines of the record that does not count change', async () => {
    const { customerId, client } = await open();
    const a = new MovingPlatform([
      record(
        'contract',
        {
          id: 1,
          number: 'C-1',
          grand_total: '10.00',
          line_items: [{ id: 11, description: 'Piling', amount: '10.00' }],
        },
        'WorkOrderContract',
      ),
    ]);
    const onB = (description: string) =>
      record('contract', {
        id: 'b-1',
        externalDocumentNumber: 'C-1',
        totalAmountExcludingTax: 36.4,
        currencyCode: 'QAR',
        salesOrderLines: [{ id: 'l-1', sequence: 10_000, description, unitPrice: 36.4, quantity: 1 }],
      });
    const b = new MovingPlatform([onB('Piling')], 'QAR');
    await connectBoth({ customerId, client }, a, b);
    const [listed] = await listing(client, 'platform_a', 'contract');
    const id = listed?.canonical_id ?? '';
    expect(listed?.mappings).toHaveLength(2);
    const first = await client.get(`/objects/${id}`);
    b.put(onB('Piling, second phase'));
    await connect(client, 'platform_b');
    const known = { 'If-None-Match': first.headers.get('etag') ?? '' };
    const again = await client.get(`/objects/${id}`, known);
    expect(again.status).toBe(200);
    expect(again.text).toContain('Piling, second phase');
  });

  it('has another version when a neighbour or a rate changes it', async () => {
    const { client, customerId, a, id, readAll } = await openPair();
    const invoice = (number: string) => record('invoice', { id: 9, invoice_number: number });
    a.put(invoice('INV-1'));
    a.put(record('payment', { id: 1, check_number: 'CHK-1', amount: '10.00', requisition_id: 9 }));
    await readAll('platform_a');
    const first = await read(client, id);
    expect(first.data.invoice_number).toBe('INV-1');
    a.put(invoice('INV-2'));
    await readAll('platform_a');
    const second = await read(client, id);
    expect(second.data.invoice_number).toBe('INV-2');
    expect(second.version).not.toBe(first.version);
    await stored.query(
      `insert into exchange_rates (customer_id, from_currency, to_currency, rate) values ($1, 'USD', 'QAR', '4')`,
      [customerId],
    );
    const third = await read(client, id);
    expect(third.disagreements.map(({ field }: { field: string }) => field)).toContain('amount');
    expect(third.version).not.toBe(second.version);
    const [listed] = await listing(client, 'platform_a', 'payment');
    expect((listed as unknown as { version: string }).version).toBe(third.version);
  });

  it('is found by an alias, and says whose ID it is', async () => {
    const { key, customerId, client } = await open();
    sources.give(customerId, 'platform_a', [record('payment', { id: 1, check_number: 'CHK-1' })]);
    sources.give(customerId, 'platform_b', [record('payment', { id: 'b-1', externalDocumentNumber: 'X' })]);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    const ids = [
      (await listing(client, 'platform_a', 'payment'))[0]?.canonical_id ?? '',
      (await listing(client, 'platform_b', 'payment'))[0]?.canonical_id ?? '',
    ];
    const before = await now();
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b-1', externalDocumentNumber: 'CHK-1' }),
    ]);
    await connect(client, 'platform_b');
    const one = (await listing(client, 'platform_a', 'payment'))[0]?.canonical_id ?? '';
    const alias = ids.find((id) => id !== one) ?? '';
    expect(ids).toContain(one);
    const answer = await client.get(`/objects/${alias}`);
    expect(answer.body).toEqual((await client.get(`/objects/${one}`)).body);
    expect(answer.body.data.canonical_id).toBe(one);
    expect(answer.headers.get('content-location')).toBe(`/api/v1/objects/${one}`);
    // Some clients escape more than they have to, or end a path with a slash.
    for (const written of [alias.replace('_', '%5F'), `${alias}/`]) {
      const { headers } = await client.get(`/objects/${written}`);
      expect(headers.get('content-location')).toBe(`/api/v1/objects/${one}`);
    }
    // Before the merge they were two.
    for (const [place, id] of ids.entries()) {
      const then = await read(client, id, `?as_of=${before}`);
      expect(then.canonical_id).toBe(id);
      expect(then.mappings).toEqual([
        place === 0
          ? { platform: 'platform_a', platform_id: '1' }
          : { platform: 'platform_b', platform_id: 'b-1' },
      ]);
    }
    const after = await read(client, alias, `?as_of=${await now()}`);
    expect(after).toEqual(answer.body.data);
    expect(key).toBeDefined();
  });

  it('as of a time has the values known then, across changes, a new rate, a deletion and a return', async () => {
    const { client, customerId, a, id, readAll } = await openPair();
    const states: { readonly time: string; readonly state: object }[] = [];
    const note = async () => states.push({ state: await read(client, id), time: await now() });
    await note();
    const change = { format: 'canonical', entity_type: 'payment', canonical_id: id, data: { notes: 'new' } };
    expect((await client.post('/propagate', change)).status).toBe(200);
    await note();
    await stored.query(
      `insert into exchange_rates (customer_id, from_currency, to_currency, rate, set_at)
       values ($1, 'USD', 'QAR', '4', clock_timestamp())`,
      [customerId],
    );
    await note();
    a.remove('payment', '1');
    await readAll('platform_a', 2);
    await note();
    a.put(record('payment', { id: 1, check_number: 'CHK-1', amount: '11.00' }));
    await readAll('platform_a');
    await note();
    const versions = states.map(({ state }) => (state as { version: string }).version);
    expect(new Set(versions).size).toBe(states.length);
    for (const { time, state } of states) {
      const then = await read(client, id, `?as_of=${time}`);
      expect(then).toEqual(state);
    }
  });

  /** A customer whose objects are noted now and then, and read as of those times in the end. */
  async function openNoted(given: {
    readonly a: readonly SourceRecord[];
    readonly b: readonly SourceRecord[];
    readonly currency?: string;
  }) {
    const { customerId, client } = await open();
    const platforms = {
      platform_a: new MovingPlatform(given.a, given.currency),
      platform_b: new MovingPlatform(given.b, 'QAR'),
    };
    const names = ['platform_a', 'platform_b'] as const;
    for (const platform of names) {
      sources.use(customerId, platform, platforms[platform]);
      await makeLive(stored, customerId, platform);
      await connect(client, platform);
    }
    const readAll = async (platform: (typeof names)[number], times = 1) => {
      for (let time = 0; time < times; time += 1) {
        await readPlatform(service, { customerId, platform });
      }
    };
    const idOf = async (platform: (typeof names)[number], nativeId: string): Promise<string> =>
      (await listing(client, platform, 'payment')).find(({ id }) => id === nativeId)?.canonical_id ?? '';
    const noted: { readonly id: string; readonly time: string; readonly state: object }[] = [];
    const note = async (...ids: readonly string[]) => {
      const states = await Promise.all(ids.map((id) => read(client, id)));
      const time = await now();
      for (const [place, id] of ids.entries()) noted.push({ id, time, state: states[place] });
    };
    const expectAllAsNoted = async () => {
      for (const { id, time, state } of noted) {
        expect({ id, time, state: await read(client, id, `?as_of=${time}`) }).toEqual({ id, time, state });
      }
    };
    return { customerId, client, ...platforms, readAll, idOf, note, expectAllAsNoted };
  }

  const onA = (id: number, number: string) =>
    record('payment', { id, check_number: number, amount: '10.00' });
  const onB = (id: string, number: string, more: object = {}) =>
    record('payment', { id, externalDocumentNumber: number, amount: -36.4, ...more });

  it('as of a time has the records that were gone then, through one merge after the other', async () => {
    const life = await openNoted({ a: [onA(1, 'K-1'), onA(2, 'K-2')], b: [onB('b', 'K-2')] });
    const [first, second] = [await life.idOf('platform_a', '1'), await life.idOf('platform_a', '2')];
    await life.note(first, second);
    life.platform_a.remove('payment', '2');
    await life.readAll('platform_a', 2);
    await life.note(first, second);
    life.platform_b.put(onB('b', 'K-1'));
    await life.readAll('platform_b');
    expect(await life.idOf('platform_b', 'b')).toBe(first);
    await life.note(first, second);
    life.platform_a.remove('payment', '1');
    await life.readAll('platform_a', 2);
    life.platform_a.put(onA(3, 'K-3'));
    await life.readAll('platform_a');
    const third = await life.idOf('platform_a', '3');
    await life.note(first, second, third);
    life.platform_b.put(onB('b', 'K-3'));
    await life.readAll('platform_b');
    await life.note(first, second, third);
    const gone = (await read(life.client, second)).records.filter((one: object) => 'deleted_at' in one);
    expect(gone.map(({ platform_id: id }: { platform_id: string }) => id)).toEqual(['1', '2']);
    await life.expectAllAsNoted();
  });

  it('as of a time agrees with the statement of its project then, with deleted records', async () => {
    const project = (id: number, number: string) => record('project', { id, project_number: number });
    const life = await openNoted({
      a: [project(1, 'P-1'), project(2, 'P-2'), record('payment', { id: 5, amount: '3.00', project_id: 2 })],
      b: [record('project', { id: 'p', number: 'P-2' })],
    });
    const projects = await listing(life.client, 'platform_a', 'project');
    const [first, second] = ['1', '2'].map((id) => projects.find((one) => one.id === id)?.canonical_id ?? '');
    const stated: { readonly query: string; readonly time: string; readonly types: unknown }[] = [];
    const state = async (...queries: readonly string[]) => {
      for (const query of queries) {
        const { status, body } = await life.client.get(`/reconciliation${query}`);
        expect({ query, status }).toEqual({ query, status: 200 });
        stated.push({ query, time: await now(), types: body.data.types });
      }
      return stated.at(-1)?.types;
    };
    life.platform_a.remove('project', '2');
    life.platform_a.remove('payment', '5');
    await life.readAll('platform_a', 2);
    await state(`?project_id=${first}`, `?project_id=${second}`);
    life.platform_b.put(record('project', { id: 'p', number: 'P-1' }));
    await life.readAll('platform_b');
    expect(await state(`?project_id=${second}`, `?project_id=${first}`)).toContainEqual(
      expect.objectContaining({
        entity_type: 'payment',
        counts: expect.objectContaining({ deleted: { platform_a: 1, platform_b: 0 } }),
      }),
    );
    for (const { query, time, types } of stated) {
      const { body } = await life.client.get(`/reconciliation${query}&as_of=${time}`);
      expect({ query, time, types: body.data.types }).toEqual({ query, time, types });
    }
    const [opened] = await stored.query<{ before: string }>(
      `select to_char(min(since) - interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"') as before
       from record_versions where customer_id = $1`,
      [life.customerId],
    );
    const early = await life.client.get(
      `/reconciliation?project_id=${first}&as_of=${encodeURIComponent(opened?.before ?? '')}`,
    );
    expect([early.status, early.body.error.message]).toEqual([404, 'No project has this ID at that time']);
  });

  it('as of a time has a record that was gone with the object that decisions gave it then', async () => {
    const life = await openNoted({ a: [onA(1, 'K-1')], b: [onB('b', 'X')] });
    const made = await decide(life.client, 'link', 'payment', ['platform_a 1', 'platform_b b']);
    const id = await life.idOf('platform_a', '1');
    life.platform_b.remove('payment', '"b"');
    await life.readAll('platform_b', 2);
    await life.note(id);
    expect((await withdraw(life.client, made.body.data.id)).status).toBe(200);
    const [moved] = await stored.query<{ canonical_id: string }>(
      'select canonical_id from deleted_records where customer_id = $1',
      [life.customerId],
    );
    await life.note(id, moved?.canonical_id ?? '');
    expect((await read(life.client, id)).records).toHaveLength(1);
    await life.expectAllAsNoted();
  });

  it('says which records people have ruled out, under an entity tag of its own, until they withdraw it', async () => {
    const life = await openNoted({ a: [onA(1, 'K-1')], b: [onB('b', 'K-1')] });
    const id = await life.idOf('platform_a', '1');
    await life.note(id);
    const linked = await life.client.get(`/objects/${id}`);
    const made = await decide(life.client, 'not_same', 'payment', ['platform_a 1', 'platform_b b']);
    const other = await life.idOf('platform_b', 'b');
    const { id: decisionId, decided_at: at } = made.body.data;
    const decision = { decision_id: decisionId, reason: 'Seen on paper', decided_by: 'Kim', at };
    const [onFirst, onSecond] = [
      { platform: 'platform_a', platform_id: '1' },
      { platform: 'platform_b', platform_id: 'b' },
    ];
    expect(await read(life.client, id)).toMatchObject({
      ruled_out: [{ record: onFirst, ...onSecond, canonical_id: other, ...decision }],
      ruled_out_total: 1,
    });
    expect(await read(life.client, other)).toMatchObject({
      ruled_out: [{ record: onSecond, ...onFirst, canonical_id: id, ...decision }],
      ruled_out_total: 1,
    });
    expect((await life.client.get(`/objects/${id}`)).headers.get('etag')).not.toBe(
      linked.headers.get('etag'),
    );
    await life.note(id, other);
    life.platform_b.remove('payment', '"b"');
    await life.readAll('platform_b', 2);
    for (const [one, canonicalId] of [
      [id, null],
      [other, id],
    ] as const) {
      expect((await read(life.client, one)).ruled_out).toEqual([
        expect.objectContaining({ canonical_id: canonicalId, ...decision }),
      ]);
    }
    await life.note(id, other);
    expect((await withdraw(life.client, decisionId)).status).toBe(200);
    expect(await read(life.client, id)).toMatchObject({ ruled_out: [], ruled_out_total: 0 });
    await life.note(id);
    await life.expectAllAsNoted();
  });

  it('shows a decision that changes nothing else to a reader who has the version', async () => {
    const life = await openNoted({ a: [onA(1, 'K-1')], b: [onB('b', 'K-2')] });
    const id = await life.idOf('platform_a', '1');
    const tagOf = async (known?: string) => {
      const answer = await life.client.get(
        `/objects/${id}`,
        known === undefined ? {} : { 'If-None-Match': known },
      );
      return { status: answer.status, tag: answer.headers.get('etag') ?? '' };
    };
    const { version } = await read(life.client, id);
    const { tag: before } = await tagOf();
    const made = await decide(life.client, 'not_same', 'payment', ['platform_a 1', 'platform_b b']);
    const shown = await tagOf(before);
    expect(shown.status).toBe(200);
    expect(shown.tag).not.toBe(before);
    expect(await tagOf(shown.tag)).toEqual({ status: 304, tag: shown.tag });
    // What is known of the record itself has not changed, so who has read it before may still write.
    expect((await read(life.client, id)).version).toBe(version);
    const change = {
      format: 'canonical',
      entity_type: 'payment',
      canonical_id: id,
      data: { notes: 'new' },
      dry_run: true,
    };
    for (const known of [before, shown.tag]) {
      const { status } = await life.client.post('/propagate', change, { 'If-Match': known });
      expect({ known, status }).toEqual({ known, status: 200 });
    }
    const stale = `"${'x'.repeat(22)}${shown.tag.slice(23)}`;
    expect((await life.client.post('/propagate', change, { 'If-Match': stale })).status).toBe(409);
    expect((await withdraw(life.client, made.body.data.id)).status).toBe(200);
    expect(await tagOf(shown.tag)).toEqual({ status: 200, tag: before });
  });

  it('names fifty ruled out records at most, the latest decisions first, and says how many they are', async () => {
    const life = await openNoted({ a: [onA(1, 'K-1')], b: [onB('b', 'K-2')] });
    const id = await life.idOf('platform_a', '1');
    await stored.query(
      `insert into reconciliation_decisions (customer_id, id, decision, entity_type, platform, platform_id,
         other_platform, other_platform_id, reason, decided_by, decided_at)
       select $1, gen_random_uuid(), 'not_same', 'payment', 'platform_a', '1', 'platform_b', 'b-' || place,
         rpad('', 2000, U&'\\0001'), 'Kim', now() - place * interval '1 second'
       from generate_series(1, 60) place`,
      [life.customerId],
    );
    for (const asOf of ['', `?as_of=${await now()}`]) {
      const { ruled_out: ruledOut, ruled_out_total: total } = await read(life.client, id, asOf);
      expect(total).toBe(60);
      expect(ruledOut.map((one: { platform_id: string }) => one.platform_id)).toEqual(
        Array.from({ length: 50 }, (_, place) => `b-${place + 1}`),
      );
    }
  });

  it('as of a time has the company currency that its connection had then', async () => {
    const life = await openNoted({ a: [onA(1, 'K-1')], b: [onB('b', 'K-2')], currency: 'QAR' });
    const id = await life.idOf('platform_a', '1');
    await life.note(id);
    const statementAt = async (time: string) =>
      (await life.client.get(`/reconciliation?as_of=${time}`)).body.data;
    const before = await now();
    const inQar = await statementAt(before);
    expect(inQar.currency).toBe('QAR');
    sources.use(life.customerId, 'platform_a', new MovingPlatform([onA(1, 'K-1')], 'AED'));
    await life.readAll('platform_a');
    await life.note(id);
    const { data } = await read(life.client, id);
    expect(data.amount.currency).toBe('AED');
    await life.expectAllAsNoted();
    expect(await statementAt(before)).toEqual(inQar);
    expect((await statementAt(await now())).currency).toBe('AED');
    const { body } = await life.client.get(`/objects/${id}/history`);
    expect(body.data[0]).toMatchObject({
      change: 'changed',
      origin: { type: 'run', platform: 'platform_a' },
      fields: [{ field: 'amount', before: { currency: 'QAR' }, after: { currency: 'AED' } }],
    });
    const { body: changed } = await life.client.get(
      `/objects?platform=platform_a&entity_type=payment&modified_after=${before}`,
    );
    expect(changed.data).toHaveLength(1);
  });

  it('that no platform has any more is shown as it was last', async () => {
    const { key, customerId, client } = await open();
    const a = new MovingPlatform([record('payment', { id: 1, check_number: 'CHK-1', notes: 'last' })]);
    sources.use(customerId, 'platform_a', a);
    await makeLive(stored, customerId, 'platform_a');
    await connect(client, 'platform_a');
    const [listed] = await listing(client, 'platform_a', 'payment');
    const id = listed?.canonical_id ?? '';
    const before = await read(client, id);
    a.remove('payment', '1');
    for (let time = 0; time < 2; time += 1) {
      await readPlatform(service, { customerId, platform: 'platform_a' });
    }
    const after = await read(client, id);
    expect(after).toMatchObject({
      data: before.data,
      mappings: [],
      records: [{ platform: 'platform_a', platform_id: '1', deleted_at: expect.any(String) }],
      state: { deleted_at: expect.any(String), open: false, held: false },
    });
    expect(after.version).not.toBe(before.version);
    expect(await read(client, id, `?as_of=${await now()}`)).toMatchObject({
      data: before.data,
      mappings: [],
      version: after.version,
    });
    expect(key).toBeDefined();
  });

  it.each([
    ['an unknown ID', 'pay_0000000000000000'],
    ['no ID', 'nothing'],
    ['a type that is not stored', 'emp_0000000000000000'],
    ['text that nothing holds', 'pay_%00'],
  ])('is not found by %s', async (_name, id) => {
    const { client } = await open();
    const { status, body } = await client.get(`/objects/${id}`);
    expect([status, body.error.type]).toEqual([404, 'NOT_FOUND']);
  });

  it('of another customer is not found', async () => {
    const { id } = await openPair();
    const { client } = await open();
    expect((await client.get(`/objects/${id}`)).status).toBe(404);
  });

  it.each(['', 'yesterday', '2026-02-30', '2026-02-01T00:00:00'])('refuses as_of=%s', async (time) => {
    const { client } = await open();
    const { status, body } = await client.get(`/objects/pay_0000000000000000?as_of=${time}`);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('as_of must be')]);
  });

  it('knows nothing of times to come, and of times before the object', async () => {
    const { client, id } = await openPair();
    const answers = await Promise.all(
      ['2990-01-01', '2001-01-01', new Date(Date.now() - 86_400_000).toISOString()].map(async (time) => {
        const { status, body } = await client.get(`/objects/${id}?as_of=${time}`);
        return [status, body.error.message] as const;
      }),
    );
    expect(answers).toEqual([
      [400, expect.stringContaining('as_of must not lie in the future')],
      [404, 'No object has this ID at that time'],
      [404, 'No object has this ID at that time'],
    ]);
  });

  it('shows a write that is open', async () => {
    const { client, customerId, id } = await openPair();
    await stored.query(
      `insert into outbox_commands (customer_id, id, propagation_id, position, platform, mode, entity_type, canonical_id,
         platform_id, status, changes, referred, predicted, recording, decided_at)
       select $1, gen_random_uuid(), gen_random_uuid(), 0, 'platform_a', 'live', 'payment', $2, '1', status, '[]', '{}', '{}', '{}',
         case when status = 'held' then now() end
       from unnest(array['waiting', 'held']) status`,
      [customerId, id],
    );
    expect((await read(client, id)).state).toEqual({ deleted_at: null, open: true, held: true });
  });

  it('costs statements that travel together', async () => {
    const { client, customerId } = await open();
    await connect(client, 'platform_a');
    const id = (await listing(client, 'platform_a', 'payment'))[0]?.canonical_id ?? '';
    await read(client, id);
    const order: string[] = [];
    const original: TransactionStore['query'] = Object.getOwnPropertyDescriptor(
      TransactionStore.prototype,
      'query',
    )?.value;
    const query = jest.spyOn(TransactionStore.prototype, 'query').mockImplementation(async function (
      this: TransactionStore,
      ...given
    ) {
      // What is done in the background has statements of its own.
      if (!given[1]?.includes(customerId)) return original.apply(this, given);
      order.push('asked');
      const rows = await original.apply(this, given);
      order.push('answered');
      return rows;
    });
    await read(client, id);
    query.mockRestore();
    expect(order.indexOf('answered')).toBe(order.lastIndexOf('asked') + 1);
  });
});
