import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listing, type ListedObject } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(120_000);

type Client = ReturnType<typeof api>;
type ListedInPages = ListedObject & { readonly version: string; readonly deleted_at?: string };

const payment = (id: number, more: object = {}) =>
  record('payment', { id, check_number: `CHK-${id}`, amount: `${id}.00`, ...more });

describe('a listing in pages', () => {
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

  const path = (more: string, platform = 'platform_a', type = 'payment') =>
    `/objects?platform=${platform}&entity_type=${type}${more}`;

  async function page(client: Client, more: string) {
    const answer = await client.get(path(more));
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 200, error: undefined });
    return answer;
  }

  /** Every page, by the cursors that the answers give. */
  async function pages(
    client: Client,
    more: string,
    between: (place: number) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<readonly ListedInPages[][]> {
    const all: ListedInPages[][] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { body, headers } = await page(
        client,
        `${more}${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      );
      all.push(body.data);
      cursor = body.next_cursor as string | null;
      expect(headers.get('link')).toBe(
        cursor === null ? null : `</api/v1${path(`${more}&cursor=${cursor}`)}>; rel="next"`,
      );
      await between(all.length);
    }
    return all;
  }

  async function open(records = [payment(1), payment(2), payment(3), payment(4), payment(5)]) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const platform = new MovingPlatform(records);
    sources.use(customerId, 'platform_a', platform);
    await makeLive(stored, customerId, 'platform_a');
    await connect(client, 'platform_a');
    const readAll = () => readPlatform(service, { customerId, platform: 'platform_a' });
    /** Two readings without a record show that it is gone. */
    const remove = async (...ids: readonly number[]) => {
      for (const id of ids) platform.remove('payment', String(id));
      await readAll();
      await readAll();
    };
    const change = (id: number, data: object) =>
      client.post('/propagate', {
        format: 'platform',
        platform: 'platform_a',
        platform_id: String(id),
        entity_type: 'payment',
        data,
      });
    return { key, client, customerId, platform, readAll, remove, change };
  }

  const idsOf = (records: readonly ListedObject[]) => records.map(({ id }) => Number(id));

  it('is the whole listing, whatever the limit', async () => {
    const records = Array.from({ length: 23 }, (_, place) => payment(place * 7 + 1));
    const { client, customerId } = await open(records);
    sources.give(
      customerId,
      'platform_b',
      [3, 8, 9].map((place) =>
        record('payment', { id: `b-${place}`, externalDocumentNumber: `CHK-${place * 7 + 1}` }),
      ),
    );
    await connect(client, 'platform_b');
    const whole = await listing(client, 'platform_a', 'payment');
    expect(whole).toHaveLength(23);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(500)), async (limit) => {
        const all = await pages(client, `&limit=${limit}`);
        expect(all.slice(0, -1).every((one) => one.length === limit)).toBe(true);
        expect(all.flat()).toEqual(whole);
      }),
      { numRuns: randomCases(8) },
    );
  });

  it('has a usual size where only a cursor is given, and another one where the limit is another', async () => {
    const { client } = await open();
    const first = (await page(client, '&limit=2')).body;
    const rest = (await page(client, `&cursor=${first.next_cursor}`)).body;
    expect(idsOf([...first.data, ...rest.data])).toEqual([1, 2, 3, 4, 5]);
    expect(rest.next_cursor).toBeNull();
    const one = (await page(client, `&limit=1&cursor=${first.next_cursor}`)).body;
    expect(idsOf(one.data)).toEqual([3]);
  });

  it('holds less than its limit where records are large, and goes on', async () => {
    const notes = 'x'.repeat(230_000);
    const records = Array.from({ length: 40 }, (_, place) => payment(place + 1, { notes }));
    const { client } = await open(records);
    const all = await pages(client, '&limit=500');
    expect(all.length).toBeGreaterThan(1);
    expect(idsOf(all.flat())).toEqual(records.map((_, place) => place + 1));
  });

  it('misses nothing that is there all the time, and gives nothing twice, while others write', async () => {
    const records = Array.from({ length: 30 }, (_, place) => payment((place + 1) * 10));
    const { client, platform, remove, change, readAll } = await open(records);
    const gone = [20, 150, 290];
    const all = await pages(client, '&limit=4', async (place) => {
      if (place === 1) {
        for (const id of [5, 55, 105, 301]) platform.put(payment(id));
        await readAll();
      } else if (place === 2) await remove(...gone);
      else if (place === 3) {
        expect((await change(10, { notes: 'before' })).status).toBe(200);
        expect((await change(300, { check_number: 'CHK-A' })).status).toBe(200);
      } else if (place === 4) {
        platform.put(payment(20));
        await readAll();
      }
    });
    const ids = idsOf(all.flat());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.toSorted((one, other) => one - other)).toEqual(ids);
    const standing = records.map((_, place) => (place + 1) * 10).filter((id) => !gone.includes(id));
    expect(standing.filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids).toContain(105);
    expect(ids).not.toContain(290);
  });

  it('finds an object by its ID and by an alias', async () => {
    const { client, customerId } = await open([payment(1), payment(2)]);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b-1', externalDocumentNumber: 'OTHER' }),
    ]);
    await connect(client, 'platform_b');
    const [alone] = await listing(client, 'platform_b', 'payment');
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b-1', externalDocumentNumber: 'CHK-1' }),
    ]);
    await connect(client, 'platform_b');
    const [joined] = await listing(client, 'platform_b', 'payment');
    expect(joined?.mappings).toHaveLength(2);
    const ids = new Set([alone?.canonical_id ?? '', joined?.canonical_id ?? '', joined?.data.id as string]);
    for (const id of ids) {
      for (const more of ['', '&limit=5']) {
        const { data } = (await page(client, `&canonical_id=${id}${more}`)).body;
        expect(data.map((one: ListedObject) => one.canonical_id)).toEqual([joined?.canonical_id]);
        expect(data.map((one: ListedObject) => one.id)).toEqual(['1']);
      }
    }
    expect((await page(client, '&canonical_id=pay_0000000000000000')).body).toEqual({ data: [] });
  });

  it('shows records that are gone where it is asked to, in their place', async () => {
    const { client, customerId, remove, platform, readAll } = await open();
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b-2', externalDocumentNumber: 'CHK-2', comment: 'there' }),
    ]);
    await connect(client, 'platform_b');
    const before = await listing(client, 'platform_a', 'payment');
    await remove(2, 4);
    expect(idsOf(await listing(client, 'platform_a', 'payment'))).toEqual([1, 3, 5]);
    expect(idsOf((await page(client, '&include_deleted=false')).body.data)).toEqual([1, 3, 5]);
    const all: ListedInPages[] = (await page(client, '&include_deleted=true')).body.data;
    expect(idsOf(all)).toEqual([1, 2, 3, 4, 5]);
    expect((await pages(client, '&include_deleted=true&limit=1')).flat()).toEqual(all);
    const [, second, , fourth, fifth] = all;
    expect(fifth).not.toHaveProperty('deleted_at');
    // Its twin is there, so the object is.
    expect(second).toMatchObject({
      canonical_id: before[1]?.canonical_id,
      deleted_at: expect.any(String),
      platform_data: before[1]?.platform_data,
      mappings: [{ platform: 'platform_b', platform_id: 'b-2' }],
      data: { notes: 'there', external_ids: { platform_b: 'b-2' } },
    });
    // Nobody has it any more: it is shown as it was last.
    expect(fourth).toMatchObject({ data: before[3]?.data, mappings: [], deleted_at: expect.any(String) });
    expect(fourth?.version).not.toBe((before[3] as ListedInPages | undefined)?.version);
    platform.put(payment(4));
    await readAll();
    const returned: ListedInPages[] = (await page(client, '&include_deleted=true')).body.data;
    expect(returned[3]).toEqual(before[3]);
  });

  it.each<[more: string, message: string]>([
    ['limit=0', 'limit must be a whole number from 1 to 500'],
    ['limit=501', 'limit must be a whole number from 1 to 500'],
    ['limit=', 'limit must be a whole number from 1 to 500'],
    ['limit=1.5', 'limit must be a whole number from 1 to 500'],
    ...['1e2', '0x10', '0b1', '%2B5', '%205', '5%0A', '05', '5.0'].map((limit): [string, string] => [
      `limit=${limit}`,
      'limit must be a whole number from 1 to 500',
    ]),
    ['limit=1&limit=2', 'limit must be given only once'],
    ['cursor=nothing', 'cursor is not one that this service gave out'],
    ['limit=3&cursor=', 'cursor must not be empty'],
    ['modified_after=yesterday', 'modified_after must be an ISO 8601 date, or time with its offset'],
    ['include_deleted=yes', 'include_deleted must be true or false'],
    ['canonical_id=%00', 'canonical_id must not contain a NUL character'],
  ])('refuses %s', async (more, message) => {
    const { key } = await service.openSession();
    const { status, body } = await api(service.url, key).get(path(`&${more}`));
    expect({ status, message: body.error.message }).toEqual({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it('refuses a cursor of another query', async () => {
    const { client } = await open();
    const { next_cursor: cursor } = (await page(client, '&limit=2')).body;
    for (const other of ['&include_deleted=true', '&modified_after=2026-01-01', '&canonical_id=pay_1']) {
      const { status, body } = await client.get(path(`&limit=2&cursor=${cursor}${other}`));
      expect({ status, message: body.error.message }).toEqual({
        status: 400,
        message: expect.stringContaining('cursor belongs to a query with other parameters'),
      });
    }
    expect((await client.get(path(`&cursor=${cursor}`, 'platform_b'))).status).toBe(400);
    expect((await client.get(path(`&cursor=${cursor}`, 'platform_a', 'invoice'))).status).toBe(400);
  });

  it('still names both required parameters', async () => {
    const { key } = await service.openSession();
    const { status, body } = await api(service.url, key).get(
      '/objects?canonical_id=pay_0000000000000000&limit=1',
    );
    expect({ status, message: body.error.message }).toEqual({
      status: 400,
      message: expect.stringContaining('platform and entity_type are both required'),
    });
  });

  describe('with modified_after', () => {
    const now = async (): Promise<string> => {
      const [row] = await stored.query<{ now: string }>(
        `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
      );
      return row?.now ?? '';
    };
    const modified = async (client: Client, since: string) => {
      const ids = idsOf((await page(client, `&modified_after=${since}`)).body.data);
      expect(idsOf((await pages(client, `&modified_after=${since}&limit=1`)).flat())).toEqual(ids);
      return ids;
    };

    it('has records that changed, were created, or lost their linked record since', async () => {
      const { client, customerId, change, platform, readAll } = await open();
      const twin = new MovingPlatform([record('payment', { id: 'b-4', externalDocumentNumber: 'CHK-4' })]);
      sources.use(customerId, 'platform_b', twin);
      await makeLive(stored, customerId, 'platform_b');
      const start = await now();
      expect(await modified(client, '2020-01-01')).toEqual([1, 2, 3, 4, 5]);
      expect(await modified(client, start)).toEqual([]);
      await connect(client, 'platform_b');
      expect(await modified(client, start)).toEqual([4]);
      const linked = await now();
      expect((await change(2, { notes: 'changed' })).status).toBe(200);
      expect(await modified(client, linked)).toEqual([2]);
      const changed = await now();
      platform.put(payment(6));
      platform.put(payment(3, { notes: 'read again' }));
      await readAll();
      // The platform does not keep what is written to it, so the reading takes that back.
      expect(await modified(client, changed)).toEqual([2, 3, 6]);
      const read = await now();
      twin.remove('payment', '"b-4"');
      for (let time = 0; time < 2; time += 1) {
        await readPlatform(service, { customerId, platform: 'platform_b' });
      }
      expect(await modified(client, read)).toEqual([4]);
      expect(await modified(client, await now())).toEqual([]);
    });

    it('has records that inherit a number or a currency from a changed record, and no other related ones', async () => {
      const invoice = (id: number, more: object = {}) =>
        record('invoice', { id, invoice_number: `INV-${id}`, ...more });
      const { client, platform, readAll } = await open([
        invoice(8),
        invoice(9),
        payment(1, { requisition_id: 8 }),
        payment(2, { requisition_id: 9 }),
      ]);
      expect((await listing(client, 'platform_a', 'payment'))[0]?.data.invoice_number).toBe('INV-8');
      const start = await now();
      platform.put(invoice(8, { comment: 'nothing that a payment takes' }));
      await readAll();
      expect(await modified(client, start)).toEqual([]);
      platform.put(invoice(9, { invoice_number: 'INV-NEW' }));
      await readAll();
      expect(await modified(client, start)).toEqual([2]);
    });

    it('has everything when the terms were changed since', async () => {
      const { client, customerId } = await open();
      const start = await now();
      await stored.query(
        `insert into changes (customer_id, id, at, origin) values ($1, gen_random_uuid(), clock_timestamp(), 'terms')`,
        [customerId],
      );
      expect(await modified(client, start)).toEqual([1, 2, 3, 4, 5]);
    });

    /** Adds payments with the IDs from 2 to 8,000, as of now. */
    async function addMany(customerId: string): Promise<void> {
      await stored.query(
        `with object as (
           insert into canonical_objects (customer_id, id, entity_type)
           select $1, 'pay_' || lpad(n::text, 20, '0'), 'payment' from generate_series(2, 8000) n returning id
         )
         insert into platform_records (customer_id, platform, entity_type, platform_id, native_order, canonical_id, payload)
         select $1, 'platform_a', 'payment', n::text, '0' || lpad(n::text, 40, '0'), 'pay_' || lpad(n::text, 20, '0'),
           json_build_object('id', n)
         from generate_series(2, 8000) n`,
        [customerId],
      );
      // As the service does behind a connect that brings so much.
      await stored.query('analyze platform_records, canonical_objects');
    }

    it('finds a few among many at once, deleted ones too', async () => {
      const { client, customerId, change } = await open([payment(1)]);
      await addMany(customerId);
      const start = await now();
      expect(await modified(client, start)).toEqual([]);
      for (const id of [7_999, 17]) expect((await change(id, { notes: 'changed' })).status).toBe(200);
      for (const more of ['', '&include_deleted=true']) {
        const first = (await page(client, `&modified_after=${start}&limit=10${more}`)).body;
        expect({ ids: idsOf(first.data), next: first.next_cursor }).toEqual({
          ids: [17, 7_999],
          next: null,
        });
      }
      expect(await modified(client, start)).toEqual([17, 7_999]);
    });

    it('looks at so many records for one answer where very many changed, and goes on behind them', async () => {
      const { client, customerId } = await open([payment(1)]);
      const start = await now();
      await addMany(customerId);
      // What refers to something that changed may have changed itself, but the others did not.
      await stored.query(
        `update platform_records set since = $2::timestamptz - interval '1 second' where customer_id = $1 and platform_id::int < 2500`,
        [customerId, start],
      );
      const first = (await page(client, `&modified_after=${start}&limit=10`)).body;
      expect({ data: first.data, more: typeof first.next_cursor }).toEqual({ data: [], more: 'string' });
      const ids = (await pages(client, `&modified_after=${start}&limit=500`)).flat();
      expect(idsOf(ids)).toEqual(Array.from({ length: 5_501 }, (_, place) => 2_500 + place));
    });
  });
});
