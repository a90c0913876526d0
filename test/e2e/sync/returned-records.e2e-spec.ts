import type { StoredEntityType } from '@app/mapper';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed } from '../../support/customers/listings';
import { LIVE_KEY, makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { keptCommandsOn } from '../cli/run-command';
import { keysSetting } from '../credentials/master-keys';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(120_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const bill = (id: string, number: string) => record('invoice', { id, externalDocumentNumber: number });
const paid = (id: string, invoice: string) =>
  record('payment', { id, externalDocumentNumber: id, appliesToInvoiceId: invoice });

describe('a record that goes and returns', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  const { json } = keptCommandsOn(() => service.databaseUrl, { CREDENTIALS_KEYS: keysSetting(LIVE_KEY) });
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error', syncIntervalMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open(records: ReturnType<typeof record>[]) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, a, [record('invoice', { id: 1, invoice_number: 'INV-1' })]);
    await connect(client, a);
    const moving = new MovingPlatform(records);
    sources.use(customerId, b, moving);
    await makeLive(stored, customerId, b);
    const read = async (times = 2) => {
      for (let time = 0; time < times; time += 1) await readPlatform(service, { customerId, platform: b });
    };
    await read(1);
    const idOf = async (id: string, type: StoredEntityType = 'invoice') =>
      (await listed(client, id === '1' ? a : b, type, id)).canonical_id;
    const paidInvoice = async () => (await listed(client, b, 'payment', 'p1')).data.invoice_id;
    return { client, customerId, moving, read, idOf, paidInvoice };
  }

  it('is followed to its object by the records that refer to it', async () => {
    const { moving, read, idOf, paidInvoice } = await open([bill('i1', 'INV-1'), paid('p1', 'i1')]);
    expect(await paidInvoice()).toBe(await idOf('1'));
    moving.remove('invoice', '"i1"');
    await read();
    moving.put(bill('i2', 'INV-1'));
    await read();
    expect(await idOf('i2')).toBe(await idOf('1'));
    moving.put(bill('i1', 'INV-1'));
    await read();
    expect(await idOf('i1')).not.toBe(await idOf('1'));
    expect(await paidInvoice()).toBe(await idOf('i1'));
  });

  it('is followed to its own object where a link is taken back meanwhile, before it returns too', async () => {
    const { client, moving, read, idOf, paidInvoice } = await open([bill('i1', 'X'), paid('p1', 'i1')]);
    const own = await idOf('i1');
    const { id } = (await decide(client, 'link', 'invoice', ['platform_a 1', 'platform_b i1'])).body.data;
    expect(await paidInvoice()).toBe(await idOf('1'));
    moving.remove('invoice', '"i1"');
    await read();
    await withdraw(client, id);
    expect(await paidInvoice()).toBe(own);
    const { canonical_id: payment } = await listed(client, b, 'payment', 'p1');
    const { data: events } = (await client.get(`/events?canonical_id=${payment}`)).body;
    expect(events.at(-1)).toMatchObject({ type: 'object.changed', data: { object: { invoice_id: own } } });
    moving.put(bill('i1', 'X'));
    await read();
    expect(await idOf('i1')).toBe(own);
    expect(await paidInvoice()).toBe(own);
  });

  it('decides among the records below it while it is deleted, too', async () => {
    const { client, customerId, moving, read, idOf } = await open([
      bill('i1', 'X'),
      ...['p1', 'p2'].map((id) =>
        record('payment', {
          id,
          externalDocumentNumber: 'C-1',
          ...(id === 'p1' && { appliesToInvoiceId: 'i1' }),
        }),
      ),
    ]);
    sources.give(customerId, a, [
      record('invoice', { id: 1, invoice_number: 'INV-1' }),
      record('payment', { id: 1, check_number: 'C-1', requisition_id: 1 }),
      record('payment', { id: 2, check_number: 'C-1' }),
    ]);
    await connect(client, a);
    const apart = await idOf('p1', 'payment');
    const { id } = (await decide(client, 'link', 'invoice', ['platform_a 1', 'platform_b i1'])).body.data;
    const paidOnA = await idOf('1', 'payment');
    expect(await idOf('p1', 'payment')).toBe(paidOnA);
    moving.remove('invoice', '"i1"');
    await read();
    expect(await idOf('p1', 'payment')).toBe(paidOnA);
    const { body } = await withdraw(client, id);
    expect(body.data.effects.records).toEqual([
      { entity_type: 'payment', platform: b, platform_id: 'p1', canonical_id: apart, was: paidOnA },
    ]);
    expect(await idOf('p1', 'payment')).toBe(apart);
    expect(await idOf('1', 'payment')).toBe(paidOnA);
  });

  it('keeps its ID where the records of the other platform are removed meanwhile', async () => {
    const { client, customerId, moving, read, idOf } = await open([bill('i1', 'Y'), paid('p1', 'i1')]);
    const own = await idOf('i1');
    moving.put(bill('i1', 'X'));
    await read();
    moving.remove('invoice', '"i1"');
    await read();
    expect((await client.get(`/objects/${own}`)).body.data.state.deleted_at).not.toBeNull();
    await makeLive(stored, customerId, a);
    await readPlatform(service, { customerId, platform: a });
    await json('connections', 'remove', '--customer', customerId, '--platform', a, '--purge');
    expect((await client.get(`/objects/${own}`)).status).toBe(200);
    moving.put(bill('i1', 'X'));
    await read();
    expect(await idOf('i1')).toBe(own);
  });
});
