import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@app/mapper';
import { keyOf, startedPlatformB, tokenOf, type ApiResponse, type Started } from './testing/api-client';

describe('webhooks of the ERP', () => {
  let erp: Started;
  let receiver: Server;
  let notificationUrl: string;
  /** What the receiver answers to notices, and to handshakes. */
  let status: number;
  let shakesHands: boolean;
  let received: JsonObject[][];

  beforeEach(async () => {
    [status, shakesHands, received] = [200, true, []];
    receiver = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://receiver');
      const token = url.searchParams.get('validationToken');
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (token === null) {
          received.push(JSON.parse(Buffer.concat(chunks).toString()).value);
          response.writeHead(status).end();
        } else {
          response.writeHead(200, { 'content-type': 'text/plain' }).end(shakesHands ? token : 'no');
        }
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    notificationUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/notices`;
    erp = await startedPlatformB();
  });
  afterEach(async () => {
    await erp.close();
    await new Promise((resolve) => receiver.close(resolve));
    expect(erp.control.defects).toEqual([]);
  });

  const resource = (page: string): string => `/api/v2.0/companies(${erp.credentials.company_id})/${page}`;
  const subscribe = (page: string, fields: JsonObject = {}): Promise<ApiResponse> =>
    erp.send('POST', `${erp.apiUrl}/subscriptions`, {
      notificationUrl,
      resource: resource(page),
      clientState: 'known to us two',
      ...fields,
    });
  const addressOf = (subscription: ApiResponse): string =>
    `${erp.apiUrl}/subscriptions('${subscription.body.subscriptionId}')`;
  const listed = async (): Promise<unknown[]> => (await erp.get(`${erp.apiUrl}/subscriptions`)).body.value;
  const listedWithNewToken = async (): Promise<unknown[]> => {
    const authorization = `Bearer ${await tokenOf(erp)}`;
    return (await erp.send('GET', `${erp.apiUrl}/subscriptions`, undefined, { authorization })).body.value;
  };
  /** Lets the time of gathering pass, and waits for what is sent then. */
  const gathered = async (): Promise<void> => {
    erp.control.clock.advance(30_000);
    await erp.control.flushWebhooks();
  };

  it('begin with a handshake, and last three days', async () => {
    shakesHands = false;
    expect((await subscribe('customers')).status).toBe(400);
    shakesHands = true;
    const made = await subscribe('customers');
    expect([made.status, made.body.expirationDateTime]).toEqual([201, '2026-11-24T10:00:00.5Z']);
    expect(made.text).not.toContain('known to us two');
    erp.control.clock.advance(3 * 24 * 3_600_000 - 1);
    expect(await listedWithNewToken()).toHaveLength(1);
    erp.control.clock.advance(1);
    expect(await listedWithNewToken()).toEqual([]);
  });

  it('are renewed and ended with If-Match, by an id in quotes', async () => {
    const made = await subscribe('customers');
    erp.control.clock.advance(3_600_000 - 60_000);
    const fresh = { 'if-match': made.body['@odata.etag'] };
    expect((await erp.send('PATCH', addressOf(made), {})).status).toBe(400);
    const renewed = await erp.send('PATCH', addressOf(made), { notificationUrl }, fresh);
    expect([renewed.status, renewed.body.expirationDateTime]).toEqual([200, '2026-11-24T10:59:00.5Z']);
    shakesHands = false;
    expect((await erp.send('PATCH', addressOf(made), {}, { 'if-match': '*' })).status).toBe(400);
    expect((await erp.send('PATCH', addressOf(made), {}, fresh)).status).toBe(409);
    expect((await erp.send('DELETE', addressOf(made))).status).toBe(400);
    expect((await erp.get(addressOf(made).replaceAll("'", ''))).status).toBe(400);
    expect((await erp.send('DELETE', addressOf(made), undefined, { 'if-match': '*' })).status).toBe(204);
    expect(await listed()).toEqual([]);
  });

  it('tell of changes after thirty seconds, those of several subscriptions together', async () => {
    const [customers] = [await subscribe('customers'), await subscribe('salesOrders')];
    const customer = keyOf(erp.control.records('customers')[0]);
    await erp.send('PATCH', `customers(${customer})`, { city: 'Doha' }, { 'if-match': '*' });
    erp.control.clock.advance(29_999);
    await erp.send('PATCH', `customers(${customer})`, { city: 'Gary' }, { 'if-match': '*' });
    const draft = erp.control.records('salesOrders').find(({ status: state }) => state === 'Draft');
    const line = erp.control.records('salesOrderLines').find(({ documentId }) => documentId === draft?.id);
    await erp.send('PATCH', `salesOrderLines(${keyOf(line)})`, { description: 'New' }, { 'if-match': '*' });
    await erp.send('POST', 'projects', { number: 'X' });
    expect(received).toEqual([]);
    erp.control.clock.advance(1);
    await erp.control.flushWebhooks();
    expect(received).toEqual([
      [
        {
          subscriptionId: customers.body.subscriptionId,
          clientState: 'known to us two',
          expirationDateTime: customers.body.expirationDateTime,
          resource: `${resource('customers')}(${customer})`,
          changeType: 'updated',
          lastModifiedDateTime: '2026-11-21T10:00:30.499Z',
        },
        expect.objectContaining({
          resource: `${resource('salesOrders')}(${keyOf(draft)})`,
          changeType: 'updated',
        }),
      ],
    ]);
  });

  it('tell of records that come and go', async () => {
    await subscribe('customers');
    const { body } = await erp.send('POST', 'customers', { displayName: 'New' });
    await gathered();
    await erp.send('DELETE', `customers(${body.id})`);
    await gathered();
    expect(received.flat().map(({ changeType }) => changeType)).toEqual(['created', 'deleted']);
  });

  it('fold more than a thousand changes into one notice', async () => {
    await subscribe('customers');
    for (let count = 0; count <= 1000; count += 1) {
      erp.control.edit('insert', { table: 'customers', fields: { displayName: 'X', number: `N${count}` } });
    }
    await gathered();
    expect(received.flat()).toEqual([
      expect.objectContaining({ changeType: 'collection', resource: expect.stringContaining('?$filter=') }),
    ]);
  });

  it.each([503, 429, 408])('try again after %i', async (refusal) => {
    await subscribe('customers');
    status = refusal;
    await erp.send('POST', 'customers', { displayName: 'New' });
    await gathered();
    status = 200;
    await gathered();
    expect(erp.control.deliveries.map((delivery) => delivery.status)).toEqual([refusal, 200]);
    expect(received[1]).toEqual(received[0]);
    expect(await listed()).toHaveLength(1);
  });

  it.each([400, 401, 404, 302])('end for a receiver that answers %i', async (refusal) => {
    await subscribe('customers');
    status = refusal;
    await erp.send('POST', 'customers', { displayName: 'New' });
    await gathered();
    expect(await listed()).toEqual([]);
  });

  it.each(['projects', 'customerPayments', 'salesOrderLines', 'nothing'])(
    'are not to be had for %s',
    async (page) => {
      expect((await subscribe(page)).status).toBe(400);
    },
  );

  it('are to be had for projects by a switch, and for a custom page on its own route', async () => {
    erp.control.switches.set('projectWebhooks', true);
    expect((await subscribe('projects')).status).toBe(201);
    const root = erp.paymentsUrl.replace(/\/companies.*/, '');
    const own = await erp.send('POST', `${root}/subscriptions`, {
      notificationUrl,
      resource: new URL(erp.paymentsUrl).pathname,
    });
    expect(own.status).toBe(201);
    const journalId = erp.control.records('customerPayments')[0]?.journalId ?? '';
    await erp.send('POST', erp.paymentsUrl, { journalId, amount: -1 });
    await gathered();
    expect(received.flat()).toMatchObject([
      { changeType: 'created', subscriptionId: own.body.subscriptionId },
    ]);
  });

  it('refuse what they cannot use', async () => {
    expect((await subscribe('customers', { clientState: 'x'.repeat(2049) })).status).toBe(400);
    expect((await subscribe('customers', { notificationUrl: 'ftp://x' })).status).toBe(400);
    expect((await subscribe('customers', { notificationUrl: 'http://127.0.0.1:1/' })).status).toBe(400);
    const supported = erp.apiUrl.replace(
      '/api/v2.0',
      `/api/microsoft/runtime/beta/companies(${erp.credentials.company_id})/webhookSupportedResources`,
    );
    expect((await erp.get(supported)).body.value).toContainEqual({ resource: resource('salesOrders') });
  });
});
