import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startPlatformB, type RunningPlatformB } from '@app/simulators';
import { behaviourOf } from '@app/behaviour';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { RateLimiter } from '../../../src/platforms/live/pacing/rate-limiter';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { limitInMemory } from '../../support/live/limits-in-memory';
import { settingsOf, textOf } from '../../support/live/live-platform-b';
import {
  copyPortfolio,
  platforms,
  portfolioOf,
  storedTypes,
  type Portfolio,
} from '../../support/customers/portfolio';
import { masterKey } from '../credentials/master-keys';

jest.setTimeout(60_000);

describe('a customer whose platform_b is the ERP itself', () => {
  let service: RunningApp;
  let database: Client;
  let erp: RunningPlatformB;
  /** Has what every customer has of platform_a, whose sandbox is the same for all. */
  let original: Portfolio;
  let customer: Portfolio;
  beforeAll(async () => {
    service = await startApp({ credentialsKeys: [masterKey('first')] });
    limitInMemory(service.app.get(RateLimiter, { strict: false }));
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    original = portfolioOf(service.url, await service.issueKey('live'), database);
    await original.connect('platform_a');
  });
  afterAll(async () => {
    await database.end();
    await service.close();
  });
  beforeEach(async () => {
    erp = await startPlatformB();
    customer = portfolioOf(service.url, await service.issueKey('live'), database);
    const { settings, secret } = settingsOf(erp);
    await service.app
      .get(CredentialsService, { strict: false })
      .set(customer.customerId, 'platform_b', settings, new Secrets({ client_secret: secret }));
    await copyPortfolio(database, original.customerId, customer.customerId);
    await customer.connect('platform_b');
  });
  afterEach(() => erp.close());

  const sampleOf = (type: (typeof storedTypes)[number]) =>
    behaviourOf('platform_b')
      .portfolio()
      .filter(({ entityType }) => entityType === type);
  const propagated = async (answer: { status: number; body: ReturnType<typeof JSON.parse> }) => {
    expect(answer.status).toBe(200);
    const id: string = answer.body.data.propagation_id;
    for (;;) {
      service.app.get(Dispatcher, { strict: false }).wake();
      const { body } = await customer.client.get(`/propagations/${id}`);
      const outcomes = Object.values<{ status: string }>(body.data.propagated);
      if (outcomes.every(({ status }) => !['pending', 'uncertain'].includes(status))) return body.data;
      await sleep(10);
    }
  };

  it('has the same objects as one with a sandbox', async () => {
    const sandboxed = portfolioOf(service.url, await service.openSession(), database);
    for (const platform of platforms) await sandboxed.connect(platform);
    for (const type of storedTypes) {
      const own = await customer.list('platform_b', type);
      expect(own).toHaveLength(sampleOf(type).length);
      const linked = (listed: typeof own): string[] =>
        listed
          .map(({ mappings }) =>
            mappings
              .map(({ platform_id }) => platform_id)
              .sort()
              .join(),
          )
          .sort();
      expect(linked(own)).toEqual(linked(await sandboxed.list('platform_b', type)));
    }
  });

  it('is read with hardly more calls than it must, all of them counted', () => {
    const calls = erp.control.log.list(/\/companies\(/).length;
    // The currency of the company, the journals, and a page for each of the five lists.
    expect(calls).toBeLessThanOrEqual(7 * 1.1);
  });

  it('finds nothing changed when it is read again', async () => {
    await customer.connect('platform_b');
    const before = await customer.stored();
    await customer.connect('platform_b');
    const after = await customer.stored();
    // The connections say when they were read.
    expect(after.slice(platforms.length)).toEqual(before.slice(platforms.length));
    expect(before.length).toBeGreaterThan(sampleOf('payment').length);
  });

  it('writes a change of both to both, and knows its own write when it comes back', async () => {
    const [payment] = await customer.list('platform_b', 'payment');
    const id = payment?.canonical_id ?? '';
    const { propagated: outcomes } = await propagated(
      await customer.canonical('payment', id, { notes: 'Checked' }),
    );
    expect(outcomes.platform_b).toMatchObject({ status: 'applied', data: { comment: 'Checked' } });
    const nativeId = outcomes.platform_b.platform_id as string;
    expect(erp.control.record('customerPayments', nativeId)).toMatchObject({ comment: 'Checked' });
    const shown = await customer.find('platform_b', 'payment', nativeId);
    await customer.connect('platform_b');
    expect((await customer.find('platform_b', 'payment', nativeId)).platform_data).toEqual(
      shown.platform_data,
    );
  });

  it('changes the amount of an order through its line', async () => {
    const order = erp.control.records('salesOrders').find(({ status }) => status === 'Draft');
    const id = textOf(order, 'id');
    const { propagated: outcomes } = await propagated(
      await customer.native('platform_b', 'contract', id, {
        totalAmountExcludingTax: 1234.5,
        email: 'a@b.example',
      }),
    );
    expect(outcomes.platform_b).toMatchObject({ status: 'applied' });
    expect(erp.control.record('salesOrders', id)).toMatchObject({
      totalAmountExcludingTax: 1234.5,
      email: 'a@b.example',
    });
  });

  it('is told which fields are not sent, with the answer and afterwards', async () => {
    const order = erp.control.records('salesOrders').find(({ status }) => status === 'Draft');
    const { canonical_id: id } = await customer.find('platform_b', 'contract', textOf(order, 'id'));
    const left = [{ field: 'status', reason: 'platform_b does not let status be written' }];
    const writes = erp.control.effects.length;
    const alone = await propagated(await customer.canonical('contract', id, { status: 'approved' }));
    expect(alone.propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: { status: 'unchanged', left },
    });
    expect(alone.propagated.platform_a).not.toHaveProperty('left');
    expect(erp.control.effects).toHaveLength(writes);
    // Sent again it changes nothing, and the record there still differs.
    const again = await customer.canonical('contract', id, { status: 'approved' });
    expect(again.body.data.propagated.platform_b).toMatchObject({ status: 'unchanged', left });

    const change = { status: 'terminated', completion_date: '2027-01-31' };
    const dry = await customer.client.post('/propagate', {
      format: 'canonical',
      entity_type: 'contract',
      canonical_id: id,
      data: change,
      dry_run: true,
    });
    expect(dry.body.data.propagated.platform_b.left).toEqual(left);
    const { propagated: both } = await propagated(await customer.canonical('contract', id, change));
    expect(both.platform_b).toMatchObject({ status: 'applied', left });
    expect(erp.control.record('salesOrders', textOf(order, 'id'))).toMatchObject({
      status: 'Draft',
      requestedDeliveryDate: '2027-01-31',
    });
    const none = await propagated(
      await customer.canonical('contract', id, { completion_date: '2027-02-28' }),
    );
    expect(none.propagated.platform_b.status).toBe('applied');
    expect(none.propagated.platform_b).not.toHaveProperty('left');
  });

  it('says in advance that a posted invoice cannot be changed', async () => {
    const invoice = erp.control
      .records('salesInvoices')
      .find(({ posted, orderNumber }) => posted === true && orderNumber !== '');
    const id = textOf(invoice, 'id');
    const writes = erp.control.effects.length;
    const words = 'The invoice has been posted and can no longer be modified.';
    const change = () => customer.native('platform_b', 'invoice', id, { externalDocumentNumber: 'OTHER' });
    expectError(
      await change(),
      422,
      'TRANSFORM_ERROR',
      `data.externalDocumentNumber: platform_b has locked the record: ${words}`,
    );
    // Where that was agreed, the change is accepted, and the platform's refusal is its outcome.
    await customer.setRules('off', 'locked_on_platform');
    const { propagated: outcomes } = await propagated(await change());
    expect(outcomes.platform_b).toMatchObject({ status: 'rejected', reason: words });
    expect(erp.control.effects).toHaveLength(writes);
  });

  it('rejects with both values a field that another user changed meanwhile', async () => {
    const [row] = erp.control.records('customers');
    const id = textOf(row, 'id');
    erp.control.edit('update', { table: 'customers', id, fields: { website: 'https://theirs.example' } });
    const { propagated: outcomes } = await propagated(
      await customer.native('platform_b', 'customer', id, { website: 'https://ours.example' }),
    );
    expect(outcomes.platform_b).toMatchObject({
      status: 'rejected',
      reason: expect.stringMatching(/theirs\.example.*ours\.example/) as string,
    });
    expect(erp.control.record('customers', id)).toMatchObject({ website: 'https://theirs.example' });
  });

  it('creates there what only the other platform has', async () => {
    const before = erp.control.records('customerPayments').length;
    const { propagated: outcomes } = await propagated(
      await customer.creating.native('platform_a', 'payment', '1823391', { notes: 'Now on both' }),
    );
    expect(outcomes.platform_b).toMatchObject({
      status: 'applied',
      data: { comment: 'Now on both', amount: -300000, externalDocumentNumber: 'CHK-2026-0096' },
    });
    expect(erp.control.records('customerPayments')).toHaveLength(before + 1);
    await customer.connect('platform_b');
    const listed = await customer.find('platform_b', 'payment', String(outcomes.platform_b.platform_id));
    expect(listed.mappings).toContainEqual({ platform: 'platform_a', platform_id: '1823391' });
    expect(await customer.list('platform_b', 'payment')).toHaveLength(before + 1);
  });

  it('creates an invoice under its contract, which only the reference of the customer can name', async () => {
    const { propagated: outcomes } = await propagated(
      await customer.creating.native('platform_a', 'invoice', '10082', { billing_date: '2026-04-02' }),
    );
    expect(outcomes.platform_b).toMatchObject({
      status: 'applied',
      data: { externalDocumentNumber: 'INV-2026-0082', customerPurchaseOrderReference: 'SC-001' },
    });
    expect(erp.control.record('salesInvoices', String(outcomes.platform_b.platform_id))).toMatchObject({
      invoiceDate: '2026-04-02',
    });
  });

  it('is told that the ERP refuses its credentials', async () => {
    erp.control.edit('set_client', { client_id: erp.credentials.client_id, client_secret: 'another' });
    erp.control.edit('expire_tokens');
    const { status, body } = await customer.client.post('/connect', { platform: 'platform_b' });
    expect({ status, type: body.error.type }).toEqual({ status: 502, type: 'EXTERNAL_SERVICE_ERROR' });
    expect(body.error.message).toContain('platform_b refused the credentials (401)');
    expect(await customer.list('platform_b', 'project')).toHaveLength(sampleOf('project').length);
  });
});
