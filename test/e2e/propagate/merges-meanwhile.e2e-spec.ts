import type { PlatformName, StoredEntityType } from '@app/mapper';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import type { SourceRecord, WriteCommand, WriteOutcome } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { FarPlatform } from '../../support/platforms/far-platform';
import { latchUntilClose } from '../../support/platforms/far-customer';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { makeLive } from '../../support/live/live-connections';
import { connect, listed } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(120_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

const onA = [
  record('invoice', { id: 10, invoice_number: 'INV-1', summary: { current_payment_due: '100.00' } }),
  record('invoice', { id: 11, invoice_number: 'INV-2', summary: { current_payment_due: '900.00' } }),
];
const onB = [
  record('invoice', { id: 'i0', externalDocumentNumber: 'INV-0', totalAmountIncludingTax: 900 }),
  record('invoice', { id: 'i1', externalDocumentNumber: 'INV-X', totalAmountIncludingTax: 364 }),
  record('payment', { id: 'b1', externalDocumentNumber: 'CHK-1', appliesToInvoiceId: 'i0', amount: -300 }),
  record('payment', { id: 'b2', externalDocumentNumber: 'CHK-2', appliesToInvoiceId: 'i0', amount: -50 }),
];

const take = (command: WriteCommand, platform: FarPlatform): WriteOutcome => ({
  status: 'applied',
  payload: platform.take(command),
});

describe('a write that waits while the record that it refers to comes to another object', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error', propagateWaitMs: 0 }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
    Object.assign(service.app.get(Dispatcher, { strict: false }), { pollMs: 50 });
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  async function open(recordsOfA: readonly SourceRecord[]) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const far = new FarPlatform(b, onB);
    sources.give(customerId, a, recordsOfA);
    sources.use(customerId, b, far);
    await makeLive(stored, customerId, b);
    for (const platform of [a, b]) await connect(client, platform);
    /** Reads platform_b twice: what both readings lack is deleted. */
    const read = async () => {
      for (let times = 0; times < 2; times += 1) await readPlatform(service, { customerId, platform: b });
    };
    const idOf = async (type: StoredEntityType, platform: PlatformName, id: string) =>
      (await listed(client, platform, type, id)).canonical_id;
    const decided = async () => {
      for (let left = 500; left > 0; left -= 1) {
        const rows = await stored.query<{ status: string; open: boolean }>(
          'select status, decided_at is null as open from outbox_commands where customer_id = $1 order by seq',
          [customerId],
        );
        if (rows.every((row) => !row.open)) return rows.map(({ status }) => status);
        service.app.get(Dispatcher, { strict: false }).wake();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error('A write stays open');
    };
    return { client, customerId, far, read, idOf, decided };
  }

  /** Changes the invoice of a payment. platform_b answers when the test lets it. */
  async function moving(
    reaction: (command: WriteCommand, platform: FarPlatform) => WriteOutcome,
    opened: Awaited<ReturnType<typeof open>>,
  ) {
    const { opened: answered, open: answer } = latchUntilClose();
    opened.far.reactions.push(async (command, platform) => {
      await answered;
      return reaction(command, platform);
    });
    const change = await opened.client.post('/propagate', moved('b1'));
    expect(change.body.data.propagated.platform_b.status).toBe('pending');
    return { ...opened, answer };
  }

  it('leaves the record with a reference to the object that remains', async () => {
    const { client, idOf, decided, answer } = await moving(take, await open(onA));
    const link = await decide(client, 'link', 'invoice', ['platform_a 10', 'platform_b i1']);
    expect(link.status).toBe(200);
    answer();
    expect(await decided()).toEqual(['applied']);
    const { data } = await listed(client, b, 'payment', 'b1');
    expect(data).toMatchObject({ invoice_id: await idOf('invoice', b, 'i1'), invoice_number: 'INV-X' });
    // So it counts among the payments of the invoice: 300 and 80 riyals are more than 100 dollars.
    const more = await client.post('/propagate', { ...moved('b2', { amount: -80 }), dry_run: true });
    expect(more.status).toBe(422);
    expect(more.body.error.message).toContain('payments of invoice');
  });

  it('does not list the reference as changed that only the merge has changed', async () => {
    const opened = await open(onA);
    const { client, far, idOf, decided } = opened;
    const { opened: answered, open: answer } = latchUntilClose();
    far.reactions.push(async (command, platform) => {
      await answered;
      return take(command, platform);
    });
    const invoice = await idOf('invoice', b, 'i0');
    const change = await client.post('/propagate', {
      ...{ format: 'canonical', entity_type: 'payment', canonical_id: await idOf('payment', b, 'b1') },
      data: { notes: 'merged meanwhile', invoice_id: invoice },
    });
    expect(change.body.data.propagated.platform_b.status).toBe('pending');
    const link = await decide(client, 'link', 'invoice', ['platform_a 11', 'platform_b i0']);
    expect(link.status).toBe(200);
    expect(await idOf('invoice', b, 'i0')).not.toBe(invoice);
    const fields = async () => {
      const { body } = await client.get(`/propagations/${change.body.data.propagation_id}`);
      return body.data.canonical.updated_fields;
    };
    expect(await fields()).toEqual(['notes']);
    answer();
    expect(await decided()).toEqual(['applied']);
    expect(await fields()).toEqual(['notes']);
  });

  it('gives a refused record back the reference to the object that remains', async () => {
    const { client, idOf, decided, answer } = await moving(
      () => ({ status: 'rejected', reason: 'no' }),
      await open(onA),
    );
    const link = await decide(client, 'link', 'invoice', ['platform_a 11', 'platform_b i0']);
    expect(link.status).toBe(200);
    answer();
    expect(await decided()).toEqual(['rejected']);
    const { data } = await listed(client, b, 'payment', 'b1');
    expect(data.invoice_id).toBe(await idOf('invoice', a, '11'));
  });

  it('keeps a link from being taken back that parts a deleted record from the object', async () => {
    const opened = await open(onA);
    const { client, far, read, idOf } = opened;
    const link = await decide(client, 'link', 'invoice', ['platform_a 10', 'platform_b i1']);
    const { decided, answer } = await moving(take, opened);
    far.remove('invoice', 'i1');
    await read();
    expect((await withdraw(client, link.body.data.id)).status).toBe(409);
    answer();
    expect(await decided()).toEqual(['applied']);
    const invoice = async () => (await listed(client, b, 'payment', 'b1')).data.invoice_id;
    expect(await invoice()).toBe(await idOf('invoice', a, '10'));
    expect((await withdraw(client, link.body.data.id)).status).toBe(200);
    expect(await invoice()).not.toBe(await idOf('invoice', a, '10'));
  });

  it.each([
    ['that the write names', 'i1', take],
    ['that the record keeps', 'i0', () => ({ status: 'rejected', reason: 'no' }) as const],
  ])(
    'leaves the record with the object of an invoice %s, which returned to a taken place',
    async (_which, id, reaction) => {
      const numbers: Record<string, string> = { i0: 'INV-0', i1: 'INV-X' };
      const number = numbers[id] ?? '';
      const opened = await open([
        record('invoice', { id: 12, invoice_number: number, summary: { current_payment_due: '100.00' } }),
      ]);
      const { client, far, read, idOf } = opened;
      const linked = await idOf('invoice', a, '12');
      expect(await idOf('invoice', b, id)).toBe(linked);
      const { decided, answer } = await moving(reaction, opened);
      const invoice = onB.find(({ payload }) => payload.id === id);
      if (invoice === undefined) throw new Error(`platform_b has no invoice ${id}`);
      far.remove('invoice', id);
      await read();
      far.put({ ...invoice, payload: { ...invoice.payload, id: 'i9' } });
      await read();
      far.put(invoice);
      await read();
      expect(await idOf('invoice', b, 'i9')).toBe(linked);
      expect(await idOf('invoice', b, id)).not.toBe(linked);
      answer();
      await decided();
      const { data, platform_data } = await listed(client, b, 'payment', 'b1');
      expect(platform_data).toMatchObject({ appliesToInvoiceId: id });
      expect(data.invoice_id).toBe(await idOf('invoice', b, id));
    },
  );
});

function moved(id: string, more: object = {}) {
  return {
    format: 'platform',
    platform: b,
    platform_id: id,
    entity_type: 'payment',
    data: { appliesToInvoiceId: 'i1', ...more },
  };
}
