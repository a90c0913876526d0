/** @jest-environment node */
// Comes first: what is loaded after it finds three platforms.
import { latch } from '../../support/latch';
import { ledger } from '../../support/platform_c/register';
import type { PlatformName } from '@app/mapper';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { commandsOn } from '../cli/run-command';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { describedBy } from '../../support/described-calls';
import { expectError } from '../../support/expectations';
import { GivenRecords, record } from '../../support/given-records';
import { connect, listed, listing } from '../../support/listings';
import { LEDGER_CURRENCY } from '../../support/platform_c/behaviour';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const names = [a, b, ledger] as const;
const onLedger = { projects: 5, customers: 4, contracts: 6, invoices: 4, payments: 5 };

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
  const given = new GivenRecords();
  let service: RunningApp;
  let client: ReturnType<typeof api>;
  let customerId: string;
  const { cli, json } = commandsOn(() => service.databaseUrl);
  beforeAll(async () => {
    service = await startApp({ logLevel: 'silent' }, [], given);
    describedBy(await (await fetch(`${service.url}/api/v1/openapi.json`)).json());
  });
  afterAll(() => service.close());

  beforeEach(async () => {
    const session = await service.openSession();
    client = api(service.url, session.key);
    ({ customerId } = session);
  });
  const connectAll = async () => {
    for (const platform of [ledger, b, a] as const) await connect(client, platform);
  };
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
      entities: onLedger,
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

  it('lists its records with those of the others', async () => {
    await connectAll();
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

  it('writes a canonical change to all three', async () => {
    await connectAll();
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
    await connectAll();
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
    await connectAll();
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
    expect(await connect(client, ledger)).toEqual({ ...onLedger, payments: 6 });
    expect(await listed(client, ledger, 'payment', entry.platform_id)).toEqual(created);
  });

  it('creates on the others what only it has', async () => {
    await connectAll();
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

  it('says what people are to look at', async () => {
    await connectAll();
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
