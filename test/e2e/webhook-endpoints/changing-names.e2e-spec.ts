import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { HostResolver, NameServers } from '../../../src/webhook-endpoints/address/endpoint-addresses';
import { DeliveryTimes } from '../../../src/webhook-endpoints/delivery/delivery-times';
import { startApp, type RunningApp } from '../../support/app/app';
import { startNameServer, type NameServer } from '../../support/http/name-server';
import { portfolios, type Portfolio, type Portfolios } from '../../support/customers/portfolio';
import { startReceiver } from '../../support/http/webhook-receiver';
import { masterKey } from '../credentials/master-keys';

jest.setTimeout(60_000);

const PUBLIC = '93.184.215.14';
const PUBLIC_6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';
const refused = 'The address leads to a network that is not public';

describe('Endpoints whose names a name server resolves', () => {
  let names: NameServer;
  let app: RunningApp;
  let all: Portfolios;
  let customer: Portfolio;
  /** What a delivery to this machine would reach, and how many connections came. */
  let forbidden: Server;
  let port: number;
  let connections = 0;
  beforeAll(async () => {
    names = await startNameServer();
    app = await startApp({ credentialsKeys: [masterKey('hooks')], webhookAllowedNetworks: ['127.0.0.1'] });
    // A demo session may not have endpoints at public names.
    all = await portfolios({ ...app, openSession: () => app.issueKey('test') });
    Object.assign(app.app.get(DeliveryTimes, { strict: false }), { poll: 20 });
    const resolver = app.app.get(HostResolver, { strict: false });
    if (!(resolver instanceof NameServers)) throw new Error('The service asks no name server');
    resolver.resolver.setServers([names.address]);
    forbidden = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    // On all addresses, of which 127.0.0.2 is one where the system has it.
    forbidden.listen(0, '0.0.0.0');
    await once(forbidden, 'listening');
    ({ port } = forbidden.address() as AddressInfo); // It listens on a port.
  });
  afterAll(async () => {
    forbidden.close();
    await all.close();
    await app.close();
    await names.close();
  });
  beforeEach(async () => {
    customer = await all.open();
  });

  const register = (url: string) =>
    customer.client.post('/webhook-endpoints', { url, types: ['object.changed'] });
  const change = () =>
    customer.client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      entity_type: 'payment',
      platform_id: '1823456',
      data: { notes: 'To be delivered' },
    });
  const firstTry = async (id: string) => {
    for (;;) {
      const { body } = await customer.client.get(`/webhook-endpoints/${id}/deliveries`);
      if (body.data.length > 0) return body.data.at(-1);
      await sleep(5);
    }
  };

  it.each([
    ['private', ['127.0.0.2']],
    ['private, in IPv6 form', ['::ffff:127.0.0.2']],
    ['private, beside the public one', [PUBLIC, '10.0.0.7']],
    ['private in IPv6, beside a public one of IPv4', [PUBLIC, 'fd00::7']],
    ['allowed, and another that is private', ['127.0.0.1', '127.0.0.2']],
  ])('get nothing from when a name that was public is %s', async (_what, later) => {
    names.set('moves.example', [PUBLIC, PUBLIC_6]);
    const { status, body } = await register(`https://moves.example:${port}/hook`);
    expect(status).toBe(200);
    names.set('moves.example', later);
    await change();
    expect(await firstTry(body.data.id as string)).toMatchObject({
      outcome: 'failed',
      status: null,
      error: refused,
    });
    expect(connections).toBe(0);
  });

  it('are refused at registration when one of two answers is private, whichever comes first', async () => {
    for (const answer of [
      [PUBLIC, '192.168.1.1'],
      ['192.168.1.1', PUBLIC],
      [PUBLIC, '::1'],
    ]) {
      names.set('both.example', answer);
      expect((await register('https://both.example/hook')).status).toBe(400);
    }
    expect((await register('https://nobody.example/hook')).status).toBe(400);
  });

  it('are connected to at the address that was checked, whatever the name server says next', async () => {
    const receiver = await startReceiver();
    const url = new URL(receiver.url);
    names.set('flips.example', ['127.0.0.1']);
    const { body } = await register(`http://flips.example:${url.port}/hook`);
    // Allowed once, and never again: asked a second time, the connection would go elsewhere.
    const before = names.asked.length;
    names.set('flips.example', ['127.0.0.1'], ['10.0.0.7']);
    await change();
    await receiver.until(1);
    expect(receiver.deliveries[0]?.headers.host).toBe(`flips.example:${url.port}`);
    expect(await firstTry(body.data.id as string)).toMatchObject({ outcome: 'delivered', status: 204 });
    const asked = names.asked.slice(before);
    expect([...asked].sort()).toEqual(['A flips.example', 'AAAA flips.example']);
    await receiver.close();
  });

  it('fail while the name is unknown, and are tried again', async () => {
    names.set('goes.example', [PUBLIC]);
    const { body } = await register('https://goes.example/hook');
    names.set('goes.example', []);
    await change();
    expect(await firstTry(body.data.id as string)).toMatchObject({
      outcome: 'failed',
      error: 'The address names a host that cannot be resolved',
      next_try_at: expect.any(String) as unknown,
    });
  });
});
