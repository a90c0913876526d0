/** @jest-environment node */
// Comes first: what is loaded after it finds three platforms.
import { ledger } from '../../support/platforms/platform_c/register';
import { platformNames, type PlatformName } from '@app/mapper';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import type { SourceRecord } from '../../../src/platforms/connector';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { keptCommandsOn } from '../cli/run-command';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { describedBy } from '../../support/description/described-calls';
import { expectError } from '../../support/app/expectations';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { allListings, connect, listed, listing, type ListedObject } from '../../support/customers/listings';
import { LEDGER_CURRENCY } from '../../support/platforms/platform_c/behaviour';
import { makeLive } from '../../support/live/live-connections';
import { objectsOf, StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(120_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const names = [a, b, ledger] as const;
const ORDER = 'e27086cf-303f-4cb0-b36a-d348e484bcd5';

// In one file: each file that registers a platform loads everything again.
const given = new GivenRecords();
let service: RunningApp;
beforeAll(async () => {
  service = await startApp({ logLevel: 'silent' }, [], given);
  describedBy(await (await fetch(`${service.url}/api/v1/openapi.json`)).json());
});
afterAll(() => service.close());

const countsOfLedger = { projects: 5, customers: 4, contracts: 6, invoices: 4, payments: 5 };

/** A case as the command line lists it, as far as it is looked at here. */
interface ListedCase {
  readonly kind: string;
  readonly platform: PlatformName | null;
  readonly field: string | null;
  readonly number?: string;
  readonly missing_on?: PlatformName;
  readonly values?: Readonly<Record<string, object>>;
  readonly candidates?: readonly { readonly platform: PlatformName; readonly platform_id: string }[];
}

describe('the service with a third platform', () => {
  let client: ReturnType<typeof api>;
  let customerId: string;
  const { cli, json } = keptCommandsOn(() => service.databaseUrl);

  const openSession = async () => {
    const session = await service.openSession();
    client = api(service.url, session.key);
    ({ customerId } = session);
  };
  /** A customer with all three connected, the same for each test of a `describe`. */
  const connectAllOnce = () =>
    beforeAll(async () => {
      await openSession();
      for (const platform of [ledger, b, a] as const) await connect(client, platform);
    });
  const native = (platform: PlatformName, entityType: string, id: string, data: object) =>
    client.post('/propagate', {
      format: 'platform',
      platform,
      platform_id: id,
      entity_type: entityType,
      data,
      create_missing: true,
    });
  const canonical = (entityType: string, id: string, data: object) =>
    client.post('/propagate', {
      format: 'canonical',
      canonical_id: id,
      entity_type: entityType,
      data,
      create_missing: true,
    });

  describe('to a new customer', () => {
    beforeEach(openSession);

    it('describes it, and takes its name', async () => {
      const { body } = await client.get('/openapi.json');
      const { schemas } = body.components;
      expect(schemas.ConnectDto.properties.platform.enum).toEqual(names);
      expect(Object.keys(schemas.PropagatedPlatforms.properties)).toEqual(names);
      expect(Object.keys(schemas.LedgerCPayment.properties)).toContain('remark');
      expectError(
        await client.post('/connect', { platform: 'platform_d' }),
        400,
        'VALIDATION_ERROR',
        /platform must be one of platform_a, platform_b, ledger_c/,
      );
    });

    it('connects it, and lists connections in order of precedence', async () => {
      expect((await client.post('/connect', { platform: ledger })).body.data).toEqual({
        platform: ledger,
        status: 'connected',
        entities: countsOfLedger,
        mode: 'sandbox',
      });
      await connect(client, b);
      await connect(client, a);
      const { connections } = (await client.get('/connections')).body.data;
      expect(connections.map(({ platform }: { platform: string }) => platform)).toEqual(names);
      expect(connections[2]).toMatchObject({ status: 'active', entities_synced: 24 });
      const operators = await json('connections', 'list', '--customer', customerId);
      expect(operators.connections.map(({ platform }: { platform: string }) => platform)).toEqual(names);
      expect(await service.app.get(Metrics, { strict: false }).registry.metrics()).toMatch(
        /platform="ledger_c",entity_type="payment",result="new"/,
      );
    });

    it('answers 202 while it is being read, and 200 when it is', async () => {
      const { opened, open: goOn } = latch();
      given.give(customerId, ledger, async function* () {
        for (let index = 0; index < 500; index += 1) yield record('project', { key: `J${index}` });
        await opened;
        yield record('payment', { key: 'P1', code: 'CHK-2026-0101', sum: '1.00' });
      });
      const times = service.app.get(SyncTimes, { strict: false });
      times.wait = 500;
      const early = await client.post('/connect', { platform: ledger });
      times.wait = new SyncTimes().wait;
      expect(early.status).toBe(202);
      expect(early.body.data).toMatchObject({ platform: ledger, status: 'connecting' });
      goOn();
      expect(await connect(client, ledger)).toMatchObject({ projects: 500, payments: 1 });
    });

    it.each([
      [a, { check_number: 'CHK-1', amount: '12.50', notes: 'x' }],
      [b, { externalDocumentNumber: 'CHK-1', amount: -12.5, comment: 'x' }],
    ])('translates from %s to it and back', async (platform, data) => {
      const transform = async (source: PlatformName, target: PlatformName, payload: object, context = {}) =>
        client.post('/transform', { source, target, entity_type: 'payment', data: payload, context });
      const there = await transform(platform, ledger, data, { currency: 'USD', targetCurrency: 'SAR' });
      expect(there.status).toBe(200);
      expect(there.body).toMatchObject({
        data: { code: 'CHK-1', sum: '46.88', remark: 'x' },
        metadata: { source: platform, target: ledger, conversion: { from: 'USD', to: 'SAR' } },
      });
      const plain = await transform(platform, ledger, data);
      const back = await transform(ledger, platform, plain.body.data);
      expect(back.body.data).toMatchObject(data);
    });
  });

  describe('that is connected', () => {
    connectAllOnce();

    it('lists its records with those of the others', async () => {
      const one = await listed(client, ledger, 'payment', 'Z1');
      expect(one).toMatchObject({
        platform: ledger,
        data: {
          amount: { amount: 1_700_000_00, currency: 'USD' },
          notes: 'Substructure progress payment #1',
          external_ids: { [ledger]: 'Z1' },
        },
        platform_data: { key: 'Z1', sum: '6375000.00' },
      });
      expect(one.mappings.map(({ platform }) => platform)).toEqual(names);
      expect(await listing(client, ledger, 'contract')).toHaveLength(6);
    });

    it('says what people are to look at', async () => {
      const { cases } = await json('reconciliation', 'list', '--customer', customerId);
      const [notes, ...others] = cases.filter(
        ({ field, values }: ListedCase) =>
          field === 'notes' && values?.[ledger] !== undefined && values[a] !== undefined,
      );
      expect(others).toEqual([]);
      expect(notes).toMatchObject({
        kind: 'disagreement',
        stands: a,
        values: {
          [a]: { canonical: 'Substructure progress payment #1' },
          [ledger]: { canonical: 'Differs from the others' },
        },
      });
      const ambiguous = cases.filter(
        ({ kind, number }: ListedCase) => kind === 'ambiguous' && /0139/.test(number ?? ''),
      );
      const line = ({ platform, missing_on: on, candidates = [] }: ListedCase) =>
        `${platform} not on ${on}: ${candidates.map((one) => `${one.platform} ${one.platform_id}`).join(', ')}`;
      const onB = '17f40ad4-7d02-413b-ba30-12f0c1e8e5ff';
      expect(ambiguous.map(line).toSorted()).toEqual([
        'ledger_c not on platform_a: platform_a 1823705',
        'ledger_c not on platform_a: platform_a 1823705',
        `ledger_c not on platform_b: platform_b ${onB}`,
        `ledger_c not on platform_b: platform_b ${onB}`,
        'platform_a not on ledger_c: ledger_c A1, ledger_c A2',
        'platform_b not on ledger_c: ledger_c A1, ledger_c A2',
      ]);
      expect((await cli('reconciliation', 'list', '--customer', customerId)).out).toMatch(/ledger_c/);
    });
  });

  describe('that is connected and changed', () => {
    connectAllOnce();

    it('writes a canonical change to all three', async () => {
      const { canonical_id: id } = await listed(client, ledger, 'payment', 'Z1');
      const { status, body } = await canonical('payment', id, {
        notes: 'The same everywhere',
        amount: { amount: 1_000_000_00, currency: 'USD' },
      });
      expect(status).toBe(200);
      expect(body.data.propagated).toMatchObject({
        platform_a: { status: 'applied', data: { notes: 'The same everywhere', amount: '1000000.00' } },
        platform_b: { status: 'applied', data: { comment: 'The same everywhere', amount: -3640000 } },
        [ledger]: {
          status: 'applied',
          platform_id: 'Z1',
          data: { remark: 'The same everywhere', sum: '3750000.00', stamps: { changed: expect.any(String) } },
          conversion: { from: 'USD', to: LEDGER_CURRENCY, rate: '3.75' },
        },
      });
      expect(Object.keys(body.data.propagated)).toEqual(names);
      expect((await listed(client, ledger, 'payment', 'Z1')).platform_data).toEqual(
        body.data.propagated[ledger].data,
      );
      // Its sandbox keeps the change when it is read again.
      await connect(client, ledger);
      expect((await listed(client, ledger, 'payment', 'Z1')).data.notes).toBe('The same everywhere');
    });

    it('writes a change in its own form to the others', async () => {
      const { body } = await native(ledger, 'payment', 'Z1', { sum: '3750.00', remark: 'From the ledger' });
      expect(body.data.canonical).toMatchObject({
        updated_fields: ['amount', 'notes'],
        data: { amount: { amount: 1_000_00, currency: 'USD' } },
      });
      expect(body.data.propagated).toMatchObject({
        platform_a: { status: 'applied', data: { amount: '1000.00', notes: 'From the ledger' } },
        platform_b: { status: 'applied', data: { amount: -3640, comment: 'From the ledger' } },
        [ledger]: { status: 'applied', data: { sum: '3750.00', remark: 'From the ledger' } },
      });
      expectError(await native(ledger, 'payment', 'Z1', { sum: '1.001' }), 422, 'TRANSFORM_ERROR', /sum/);
      expectError(await native(ledger, 'payment', 'none', { remark: 'x' }), 404, 'NOT_FOUND', /on ledger_c/);
    });

    it('creates what it lacks there, in its currency', async () => {
      const { body } = await native(a, 'payment', '1823634', { notes: 'Now on all three' });
      const entry = body.data.propagated[ledger];
      expect(entry).toMatchObject({
        status: 'applied',
        platform_id: expect.stringMatching(/^N\d{6}$/),
        data: { code: 'CHK-2026-0122', sum: '225000.00', remark: 'Now on all three' },
        conversion: { from: 'USD', to: LEDGER_CURRENCY, rate: '3.75' },
      });
      const created = await listed(client, ledger, 'payment', entry.platform_id);
      expect(created.mappings.map(({ platform }) => platform)).toEqual(names);
      expect(created.platform_data).toEqual(entry.data);
      expect(await connect(client, ledger)).toEqual({ ...countsOfLedger, payments: 6 });
      expect(await listed(client, ledger, 'payment', entry.platform_id)).toEqual(created);
    });

    it('creates on the others what only it has', async () => {
      const { body } = await native(ledger, 'contract', 'K6', { title: 'Not only there any more' });
      expect(body.data.propagated).toMatchObject({
        platform_a: { status: 'applied', data: { number: 'L-ONLY', title: 'Not only there any more' } },
        platform_b: { status: 'applied', data: { externalDocumentNumber: 'L-ONLY' } },
        [ledger]: { status: 'applied', platform_id: 'K6' },
      });
      expect((await listed(client, ledger, 'contract', 'K6')).mappings).toEqual(
        names.map((platform) => ({ platform, platform_id: body.data.propagated[platform].platform_id })),
      );
    });
  });
});

const pairs = [
  [a, b],
  [a, ledger],
  [b, ledger],
] as const;

type Body = ReturnType<typeof JSON.parse>;

/** Payments by native ID: number and amount in major units. */
type Payments = Readonly<Record<string, readonly [check: string, amount: number]>>;

describe('reconciling three platforms', () => {
  async function open(onA: Payments, onB: Payments, onLedger: Payments) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const records = (payments: Payments, payload: (id: string, check: string, amount: number) => object) =>
      Object.entries(payments).map(([id, [check, amount]]) => record('payment', payload(id, check, amount)));
    const all: readonly (readonly [PlatformName, ReturnType<typeof records>])[] = [
      [
        a,
        records(onA, (id, check_number, amount) => ({
          id: Number(id),
          amount: `${amount}.00`,
          check_number,
        })),
      ],
      [b, records(onB, (id, check, amount) => ({ id, amount: -amount, externalDocumentNumber: check }))],
      [ledger, records(onLedger, (key_, code, sum) => ({ key: key_, code, sum: `${sum}.00` }))],
    ];
    for (const [platform, own] of all) {
      given.give(customerId, platform, own);
      await connect(client, platform);
    }
    const ofPair = (path: string, pair: readonly PlatformName[]) =>
      client.get(`${path}${path.includes('?') ? '&' : '?'}platforms=${pair.join(',')}`);
    /** By pair: agree, disagree, ambiguous, and what each has alone. */
    const counts = async () =>
      Promise.all(
        pairs.map(async (pair) => {
          const { status, body } = await ofPair('/reconciliation?entity_type=payment', pair);
          expect(status).toBe(200);
          expect(body.data.platforms).toEqual(pair);
          const [{ counts: found, totals }] = body.data.types;
          const led = totals.lines.reduce(
            (sum: number, { amount }: Body) => sum + amount.amount,
            totals.from.sum.amount,
          );
          expect([totals.from.platform, totals.to.platform, led]).toEqual([...pair, totals.to.sum.amount]);
          return [
            found.agree,
            found.disagree,
            found.ambiguous,
            ...pair.map((platform) => found.only_on[platform]),
          ];
        }),
      );
    const cases = async (pair: readonly PlatformName[], kind: string): Promise<Body[]> =>
      (await ofPair(`/reconciliation/cases?entity_type=payment&kind=${kind}`, pair)).body.data;
    const objectOf = async (platform: PlatformName, id: string): Promise<string> => {
      const { body } = await client.get(`/objects?platform=${platform}&entity_type=payment`);
      return body.data.find((one: Body) => one.id === id).canonical_id;
    };
    return { client, counts, cases, objectOf };
  }

  it('states and lists each pair for itself', async () => {
    const { client, counts, cases } = await open(
      { 1: ['K-1', 10], 2: ['K-2', 20], 3: ['K-3', 30] },
      { b1: ['K-1', 10], b2: ['K-2', 21], b4: ['K-4', 40] },
      { L1: ['K-1', 11], L3: ['K-3', 30], L4: ['K-4', 40], L5: ['K-5', 50] },
    );
    expect(await counts()).toEqual([
      [1, 1, 0, 1, 1],
      [1, 1, 0, 1, 2],
      [1, 1, 0, 1, 2],
    ]);
    const [differing] = await cases([a, ledger], 'disagreement');
    expect(Object.keys(differing.values)).toEqual([a, ledger]);
    expect(differing).toMatchObject({ field: 'amount', stands: a, difference: { amount: 100 } });
    const { body } = await client.get(`/reconciliation/cases/${differing.id}`);
    for (const { values } of body.data.compared) expect(Object.keys(values)).not.toContain(b);
    expect((await cases([b, ledger], 'only_on')).map(({ missing_on: on }: Body) => on).toSorted()).toEqual(
      [ledger, b, b].toSorted(),
    );
  });

  it('reads one object, why its records are one, and its history', async () => {
    const { client, objectOf } = await open({ 1: ['K-1', 10] }, { b1: ['K-1', 10] }, { L1: ['K-1', 11] });
    const id = await objectOf(ledger, 'L1');
    const before = (await client.get('/reconciliation')).body.data.as_of as string;
    const one = await client.get(`/objects/${id}`);
    expect(one.status).toBe(200);
    expect(one.body.data.mappings.map(({ platform }: Body) => platform)).toEqual(names);
    expect(one.body.data.evidence.map(({ rule }: Body) => rule)).toEqual(['unique_key', 'unique_key']);
    await client.post('/propagate', {
      format: 'canonical',
      canonical_id: id,
      entity_type: 'payment',
      data: { notes: 'Everywhere' },
    });
    const history = await client.get(`/objects/${id}/history`);
    expect(history.status).toBe(200);
    const change = history.body.data.find(({ origin }: Body) => origin.type === 'propagation');
    expect(Object.keys(change.outcomes)).toEqual(names);
    const past = await client.get(`/objects/${id}?as_of=${before}`);
    expect(past.body.data.data.notes ?? null).toBeNull();
    expect((await client.get(`/objects/${id}`)).body.data.data.notes).toBe('Everywhere');
  });

  it('links by decision what no rule links, and parts it when that is withdrawn', async () => {
    const { client, counts, objectOf } = await open(
      { 1: ['K-1', 10] },
      { b1: ['K-1', 10] },
      { L1: ['X', 10] },
    );
    expect(await counts()).toEqual([
      [1, 0, 0, 0, 0],
      [0, 0, 0, 1, 1],
      [0, 0, 0, 1, 1],
    ]);
    const made = await decide(client, 'link', 'payment', [`${ledger} L1`, 'platform_b b1']);
    expect(made.body.data.records.map(({ platform }: Body) => platform)).toEqual([b, ledger]);
    expect(await counts()).toEqual([
      [1, 0, 0, 0, 0],
      [0, 1, 0, 0, 0],
      [0, 1, 0, 0, 0],
    ]);
    expect(await objectOf(ledger, 'L1')).toBe(await objectOf(a, '1'));
    const third = await decide(client, 'not_same', 'payment', [`${ledger} L1`, 'platform_b b1']);
    expect(third.status).toBe(409);
    await withdraw(client, made.body.data.id);
    expect((await counts())[1]).toEqual([0, 0, 0, 1, 1]);
    const decisions = await client.get('/reconciliation/decisions');
    expect(decisions.body.data).toMatchObject([{ status: 'withdrawn', records: [{ platform: b }, {}] }]);
  });

  it('gives each its ID back when links of links are taken back, in either order', async () => {
    const { client, objectOf } = await open({ 1: ['K-1', 10] }, { b1: ['K-2', 10] }, { L1: ['X', 10] });
    const idsOf = async () => [await objectOf(a, '1'), await objectOf(b, 'b1'), await objectOf(ledger, 'L1')];
    const [ofA, ofB, ofL] = await idsOf();
    const link = async (records: Parameters<typeof decide>[3]) =>
      (await decide(client, 'link', 'payment', records)).body.data.id;
    const named = async (id: string | undefined) =>
      (await client.get(`/objects/${id}`)).body.data.canonical_id;
    for (const isLastFirst of [true, false]) {
      const below = await link([`${ledger} L1`, 'platform_b b1']);
      const above = await link(['platform_b b1', 'platform_a 1']);
      expect(await idsOf()).toEqual([ofA, ofA, ofA]);
      await withdraw(client, isLastFirst ? above : below);
      // The two that leave together have the ID of the first of them; that of the other goes along.
      expect(await idsOf()).toEqual(isLastFirst ? [ofA, ofB, ofB] : [ofA, ofA, ofL]);
      expect([await named(ofB), await named(ofL)]).toEqual(isLastFirst ? [ofB, ofB] : [ofA, ofL]);
      await withdraw(client, isLastFirst ? below : above);
      expect(await idsOf()).toEqual([ofA, ofB, ofL]);
      expect([await named(ofB), await named(ofL)]).toEqual([ofB, ofL]);
    }
  });

  it('gives a record its ID back where the first reading of a third platform parts it', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (platform: PlatformName, records: readonly ReturnType<typeof record>[]) => {
      given.give(customerId, platform, records);
      await connect(client, platform);
    };
    const idOf = async (platform: PlatformName, id: string) =>
      (await listed(client, platform, 'contract', id)).canonical_id;
    const onB = (number: string) => [
      record('project', { id: 'p2', number: 'P-2' }),
      record('contract', { id: 'o2', externalDocumentNumber: number, shortcutDimension1Code: 'P-2' }),
    ];
    await read(a, [
      record('project', { id: 1, project_number: 'P-1' }),
      record('contract', { id: 11, number: 'K', project: { id: 1 } }, 'WorkOrderContract'),
    ]);
    await read(b, onB('K-2'));
    const ids = [await idOf(a, '11'), await idOf(b, 'o2')];
    await read(b, onB('K'));
    expect([await idOf(a, '11'), await idOf(b, 'o2')]).toEqual([ids[0], ids[0]]);
    // It has the number under either project.
    await read(ledger, [
      record('project', { key: 'J1', code: 'P-1' }),
      record('project', { key: 'J2', code: 'P-2' }),
      record('contract', { key: 'K1', code: 'K', project: { key: 'J1' } }),
      record('contract', { key: 'K2', code: 'K', project: { key: 'J2' } }),
    ]);
    expect([await idOf(a, '11'), await idOf(b, 'o2')]).toEqual(ids);
    expect([await idOf(ledger, 'K1'), await idOf(ledger, 'K2')]).toEqual(ids);
    expect((await client.get(`/objects/${ids[1]}`)).body.data.canonical_id).toBe(ids[1]);
  });

  it('rules out a whole object with one of its records', async () => {
    const { client, counts, cases } = await open(
      { 1: ['K-1', 10] },
      { b1: ['K-1', 10] },
      { L1: ['K-1', 10], L2: ['K-1', 10] },
    );
    const candidates = async (pair: readonly PlatformName[]) =>
      Object.fromEntries(
        (await cases(pair, 'ambiguous')).map((one) => [
          one.records[0].platform_id,
          one.candidates.map(({ platform_id: id }: Body) => id),
        ]),
      );
    expect(await counts()).toEqual([
      [1, 0, 0, 0, 0],
      [0, 0, 3, 0, 0],
      [0, 0, 3, 0, 0],
    ]);
    // Of the object of two records one is ruled out; the other can be no more the same than that one.
    const made = await decide(client, 'not_same', 'payment', [`${ledger} L1`, 'platform_a 1']);
    expect(await counts()).toEqual([
      [1, 0, 0, 0, 0],
      [0, 0, 2, 0, 1],
      [0, 0, 2, 0, 1],
    ]);
    expect(await candidates([b, ledger])).toEqual({ b1: ['L2'], L2: ['b1'] });
    await withdraw(client, made.body.data.id);
    expect((await counts())[2]).toEqual([0, 0, 3, 0, 0]);
  });
});

describe('two objects that become a third one at once', () => {
  let stored: StoredRecords;
  beforeAll(async () => {
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(() => stored.close());

  it('both bring the values that no record holds, and the one of precedence decides', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const onLedger = (name: string, code: string) => record('contract', { key: name, code, sum: '10.00' });
    const read = async (platform: PlatformName, ...records: readonly SourceRecord[]) => {
      given.give(customerId, platform, records);
      await readPlatform(service, { customerId, platform });
    };
    const readA = (number: string) => read(a, record('contract', { id: 1, number }, 'WorkOrderContract'));
    const readB = (number: string) =>
      read(b, record('contract', { id: ORDER, externalDocumentNumber: number }));
    const objectOf = async (platform: PlatformName, id: string) =>
      (await listed(client, platform, 'contract', id)).canonical_id;
    for (const platform of names) await makeLive(stored, customerId, platform);
    // Each of the two has a record of the ledger, so that they cannot become one, and the third finds no place with either.
    const own = [onLedger('L1', 'X'), onLedger('L2', 'Y')];
    await read(ledger, ...own);
    await readA('X');
    await readB('Y');
    await readA('K-1');
    await readB('K-1');
    await read(ledger, ...own, onLedger('L3', 'K-1'));
    const ids = [await objectOf(a, '1'), await objectOf(b, ORDER), await objectOf(ledger, 'L3')] as const;
    const [stays, onB, alone] = ids;
    expect(new Set(ids).size).toBe(3);
    const write = async (id: string, data: object) => {
      const body = { format: 'canonical', entity_type: 'contract', canonical_id: id, data };
      expect((await client.post('/propagate', body)).status).toBe(200);
    };
    await write(onB, { issued_on: '2026-01-01', retainage_percent: '5' });
    await write(alone, { returned_on: '2026-02-02', retainage_percent: '7' });

    await read(ledger, onLedger('L3', 'K-1'));
    const { data, mappings } = (await client.get(`/objects/${stays}`)).body.data;
    expect(mappings).toHaveLength(3);
    expect(data).toMatchObject({
      issued_on: '2026-01-01',
      returned_on: '2026-02-02',
      retainage_percent: '5',
    });
  });
});

const orders: readonly (readonly PlatformName[])[] = [
  [a, b, ledger],
  [a, ledger, b],
  [b, a, ledger],
  [b, ledger, a],
  [ledger, a, b],
  [ledger, b, a],
];

/** What belongs together: X is on a and c only, Y on b and c only, Z on all three. */
const expected: Readonly<Record<string, Readonly<Record<string, readonly (string | undefined)[]>>>> = {
  project: {
    X: ['341331', undefined, 'J2'],
    Y: [undefined, '7c6eed3d-9acd-41c1-a5b6-293950498ddd', 'J3'],
    Z: ['341276', '59939926-c49b-49b8-8350-270a7c8179f7', 'J1'],
  },
  customer: {
    X: ['501099', undefined, 'P2'],
    Y: [undefined, 'a54b87d9-3385-49ec-b8d7-26aaaedc636b', 'P3'],
    Z: ['501004', 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190', 'P1'],
  },
  contract: {
    X: ['1945826', undefined, 'K2'],
    Y: [undefined, '453e9f7a-fe45-4074-b0fb-46a31126b7d7', 'K3'],
    Z: ['1945782', 'e27086cf-303f-4cb0-b36a-d348e484bcd5', 'K1'],
    'one SC-001': ['1945790', '406ca4bd-039d-465f-b9be-624b9bec8fe6', 'K4'],
    'the other SC-001': ['1945797', '44eee2ce-744a-40a7-bbbe-d38dd74a4f7b', 'K5'],
    alone: [undefined, undefined, 'K6'],
  },
  invoice: {
    X: ['10082', undefined, 'I2'],
    Y: [undefined, 'e385ddc8-5cdc-4711-bdc0-7c9b6ee5873c', 'I3'],
    Z: ['10061', 'e4c74346-de67-45e7-bc0b-70120927dab0', 'I1'],
  },
  payment: {
    X: ['1823391', undefined, 'X1'],
    Y: [undefined, '75508914-6e39-423c-95ba-296457268799', 'Y1'],
    Z: ['1823456', 'a34e74db-53c7-4368-8fe7-bb87c83c7902', 'Z1'],
    'one of two': [undefined, undefined, 'A1'],
    'the other of two': [undefined, undefined, 'A2'],
  },
};
const types = Object.keys(expected) as ('project' | 'customer' | 'contract' | 'invoice' | 'payment')[];

describe('three connected platforms', () => {
  let stored: StoredRecords;
  let client: ReturnType<typeof api>;
  let customerId: string;
  beforeAll(async () => {
    stored = await StoredRecords.open(service.databaseUrl);
    const session = await service.openSession();
    client = api(service.url, session.key);
    ({ customerId } = session);
    // No vendor of the portfolio is on platform_a alone.
    await stored.query(
      `insert into sandbox_records (customer_id, platform, entity_type, platform_id, payload)
       values ($1, 'platform_a', 'customer', '501099', '{"id":501099,"name":"Only here","business_register":{"identifier":"tax-x"}}')`,
      [customerId],
    );
  });
  afterAll(() => stored.close());

  /** Everything that a customer has after connecting in an order; the customer is the same each time, so are digests. */
  async function load(order: readonly PlatformName[]) {
    await stored.forget(customerId);
    for (const platform of order) await connect(client, platform);
    const rows = await stored.of(customerId);
    return { rows, objects: objectsOf(rows), listings: await allListings(client) };
  }
  let first: Awaited<ReturnType<typeof load>> | undefined;

  it.each(orders)('are the same in the order %s, %s, %s', async (...order) => {
    const loaded = await load(order);
    first ??= loaded;
    expect(loaded.objects).toEqual(first.objects);
    expect(loaded.rows).toEqual(first.rows);
    expect(loaded.listings).toEqual(first.listings);

    for (const type of types) {
      const found = new Map(
        platformNames.map((platform) => {
          const body = JSON.parse(loaded.listings[`${platform} ${type}`] ?? '{}');
          return [platform, body.data as readonly ListedObject[]] as const;
        }),
      );
      for (const ids of Object.values(expected[type] ?? {})) {
        const mappings = platformNames.flatMap((platform, place) => {
          const id = ids[place];
          return id === undefined ? [] : [{ platform, platform_id: id }];
        });
        for (const { platform, platform_id } of mappings) {
          const one = found.get(platform)?.find(({ id }) => id === platform_id);
          expect({ type, platform, mappings: one?.mappings }).toEqual({ type, platform, mappings });
          expect(one?.data.external_ids).toEqual(
            Object.fromEntries(mappings.map((each) => [each.platform, each.platform_id])),
          );
        }
      }
    }
  });

  it('stay as they are when each is read again', async () => {
    const before = await load([ledger, b, a]);
    for (const platform of [a, ledger, b] as const) await connect(client, platform);
    expect(await stored.of(customerId)).toEqual(before.rows);
    expect(await allListings(client)).toEqual(before.listings);
  });
});
