import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DeliveryTimes } from '../../../src/webhook-endpoints/delivery/delivery-times';
import { MOST_OPEN } from '../../../src/webhook-endpoints/webhook-endpoints.repository';
import { startApp, type RunningApp } from '../../support/app/app';
import { EventFeed } from '../../../src/records/events/event-feed';
import { EXAMINED } from '../../../src/records/events/events.repository';
import { feedOf } from '../../support/customers/feed';
import { portfolios, type Portfolio, type Portfolios } from '../../support/customers/portfolio';
import {
  isVerified,
  startReceiver,
  type ReceivedDelivery,
  type WebhookReceiver,
} from '../../support/http/webhook-receiver';
import { masterKey } from '../credentials/master-keys';

jest.setTimeout(120_000);

const payments = ['1823456', '1823502', '1823517', '1823588'] as const;

describe('deliveries of events', () => {
  let app: RunningApp;
  let all: Portfolios;
  let customer: Portfolio;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    app = await startApp({ credentialsKeys: [masterKey('hooks')], webhookAllowedNetworks: ['127.0.0.0/8'] });
    all = await portfolios(app);
    Object.assign(app.app.get(DeliveryTimes, { strict: false }), { poll: 20, body: 200 });
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });
  beforeEach(async () => {
    customer = await all.open();
    receiver = await startReceiver();
  });
  afterEach(async () => {
    for (const { id } of await endpoints())
      await customer.client.send('DELETE', `/webhook-endpoints/${id}`, {});
    await receiver.close();
  });

  const endpoints = async () => (await customer.client.get('/webhook-endpoints')).body.data;
  const register = async (more: object = {}) => {
    const { status, body } = await customer.client.post('/webhook-endpoints', { url: receiver.url, ...more });
    expect(status).toBe(200);
    return body.data as { id: string; secret: string };
  };
  const note = (payment: string, notes: string) =>
    customer.client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      entity_type: 'payment',
      platform_id: payment,
      data: { notes },
    });
  const attempts = async (id: string) =>
    (await customer.client.get(`/webhook-endpoints/${id}/deliveries`)).body.data;
  const endpoint = async (id: string) => (await customer.client.get(`/webhook-endpoints/${id}`)).body.data;
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await sleep(5);
  };
  /** What waits for another try is due now. */
  const makeDue = (id: string) =>
    customer.sql(
      `with due as (update webhook_deliveries set next_at = now() where customer_id = $1 and endpoint_id = $2)
       update webhook_endpoints set retry_at = now() where customer_id = $1 and id = $2 and retry_at is not null`,
      [customer.customerId, id],
    );

  /** Nothing is delivered to the endpoint for a time. */
  const leaseFor = (id: string, time: string) =>
    customer.sql(
      'update webhook_endpoints set claim = null, leased_until = now() + $3::interval where customer_id = $1 and id = $2',
      [customer.customerId, id, time],
    );
  const notesOf = (deliveries: readonly ReceivedDelivery[]) => [
    ...new Set(deliveries.map(({ event }) => event.data.object.notes as string)),
  ];

  /** Waits for the delivery of a change, which the receiver does not answer yet; later ones it does. @returns answers it */
  const firstDelivery = async (text: string): Promise<() => void> => {
    const held: ServerResponse[] = [];
    receiver.answer((response) => void held.push(response));
    await note(payments[0], text);
    await receiver.until(1);
    receiver.answer((response) => void response.writeHead(204).end());
    return () => held.forEach((response) => response.writeHead(204).end());
  };

  /** A session of its own, in a transaction. */
  const beginSession = async (): Promise<Client> => {
    const session = new Client({ connectionString: app.databaseUrl });
    await session.connect();
    await session.query('begin');
    return session;
  };
  /** As while it numbers events. The customer has numbered ones. */
  const lockFeed = async (session: Client): Promise<void> => {
    const locked = await session.query('select from event_feeds where customer_id = $1 for update', [
      customer.customerId,
    ]);
    expect(locked.rowCount).toBe(1);
  };

  it('are the events as the feed shows them, signed, from the registration on', async () => {
    // With events of before.
    customer = await all.connect();
    const before = (await feedOf(customer.client)).length;
    const { secret } = await register();
    await note(payments[0], 'delivered');
    await receiver.until(2);
    const events = (await feedOf(customer.client)).slice(before);
    expect(receiver.deliveries.map(({ event }) => event)).toEqual(events);
    for (const delivery of receiver.deliveries) {
      expect(isVerified(secret, delivery)).toBe(true);
      expect(delivery.headers).toMatchObject({
        'webhook-id': delivery.event.id,
        'content-type': 'application/json',
      });
    }
    expect(isVerified(`whsec_${'A'.repeat(43)}=`, receiver.deliveries[0]!)).toBe(false);
  });

  it('are also those of changes that were under way at the registration, and none that were stored before', async () => {
    customer = await all.connect();
    // As a run that is being published: its events have the time when it began, and are seen when it is committed.
    const run = await beginSession();
    await run.query(
      `insert into events (customer_id, at, cause_id, place, type, data)
       values ($1, clock_timestamp(), gen_random_uuid(), 1, 'run.completed', '{"run":"under way"}')`,
      [customer.customerId],
    );
    await register();
    await run.query('commit');
    await run.end();
    await receiver.until(1);
    await note(payments[0], 'behind it');
    await receiver.until(3);
    expect(receiver.deliveries.map(({ event }) => event.type).sort()).toEqual([
      'object.changed',
      'propagation.settled',
      'run.completed',
    ]);
  });

  it('are also those of changes that were under way while another session numbered events', async () => {
    customer = await all.connect();
    await feedOf(customer.client);
    const [run, other] = [await beginSession(), await beginSession()];
    await run.query(
      `insert into events (customer_id, at, cause_id, place, type, data)
       values ($1, clock_timestamp(), gen_random_uuid(), 1, 'run.completed', '{}')`,
      [customer.customerId],
    );
    await note(payments[0], 'not numbered');
    await lockFeed(other);
    const registered = register({ types: ['run.completed'] });
    // As long as a batch of the other session, or until the registration does without the numbers.
    await Promise.race([registered, sleep(2_000)]);
    await other.end();
    await registered;
    await run.query('commit');
    await run.end();
    await receiver.until(1);
    expect(receiver.deliveries.map(({ event }) => event.type)).toEqual(['run.completed']);
  });

  it('begin with the time of the registration where the events before it cannot be numbered', async () => {
    customer = await all.connect();
    await feedOf(customer.client);
    await note(payments[0], 'before');
    const other = await beginSession();
    await lockFeed(other);
    const feed = app.app.get(EventFeed, { strict: false });
    const { pause } = feed;
    feed.pause = 0;
    await register({ types: ['object.changed'] });
    feed.pause = pause;
    await other.end();
    await note(payments[0], 'behind');
    await receiver.until(1);
    expect(notesOf(receiver.deliveries)).toEqual(['behind']);
  });

  it('are those of the chosen types', async () => {
    await register({ types: ['propagation.settled'] });
    await note(payments[0], 'one');
    await note(payments[1], 'two');
    await receiver.until(2);
    expect(receiver.deliveries.map(({ event }) => event.type)).toEqual([
      'propagation.settled',
      'propagation.settled',
    ]);
  });

  it('are signed with both secrets during a rotation', async () => {
    const { id, secret: first } = await register();
    const rotate = async () =>
      (await customer.client.post(`/webhook-endpoints/${id}/rotate`, {})).body.data.secret;
    const second = await rotate();
    await note(payments[0], 'rotated');
    await receiver.until(2);
    const [delivery] = receiver.deliveries;
    expect([first, second].map((secret) => isVerified(secret, delivery!))).toEqual([true, true]);
    const third = await rotate();
    await customer.sql(
      'update webhook_secrets set ends_at = now() where customer_id = $1 and ends_at is not null',
      [customer.customerId],
    );
    await note(payments[0], 'rotated again');
    await receiver.until(4);
    const last = receiver.deliveries.at(-1)!;
    expect([first, second, third].map((secret) => isVerified(secret, last))).toEqual([false, false, true]);
  });

  it('are made once if they are under way when only the description changes', async () => {
    const { id } = await register({ types: ['object.changed', 'run.completed'] });
    const answer = await firstDelivery('first');
    const changed = await customer.client.send('PATCH', `/webhook-endpoints/${id}`, {
      body: { description: 'Described meanwhile', types: ['run.completed', 'object.changed'] },
    });
    expect(changed.status).toBe(200);
    answer();
    await note(payments[0], 'second');
    await receiver.until((deliveries) => notesOf(deliveries).includes('second'));
    expect(receiver.deliveries.map(({ event }) => event.data.object.notes)).toEqual(['first', 'second']);
  });

  it('leave out none of the types that are chosen while some are under way', async () => {
    const { id } = await register({ types: ['object.changed'] });
    const answer = await firstDelivery('first');
    await customer.client.send('PATCH', `/webhook-endpoints/${id}`, { body: { types: [] } });
    answer();
    await receiver.until((deliveries) =>
      deliveries.some(({ event }) => event.type === 'propagation.settled'),
    );
  });

  it('are tried again, and keep the order of each object while others go on', async () => {
    const { id } = await register({ types: ['object.changed'] });
    const stuck = (await customer.find('platform_a', 'payment', payments[0])).canonical_id;
    let isStuck = true;
    receiver.answer((response, { event }) => {
      const status = isStuck && event.data.canonical_id === stuck ? 503 : 200;
      response.writeHead(status).end(`told ${status}`);
    });
    await note(payments[0], 'first');
    await receiver.until(1);
    await note(payments[0], 'second');
    await note(payments[1], 'another');
    await receiver.until((deliveries) => deliveries.some(({ event }) => event.data.canonical_id !== stuck));
    // The receiver has the delivery before the service has noted it.
    await until(async () => (await attempts(id)).length === 2);
    await until(async () => (await endpoint(id)).waiting === 2);
    expect(await attempts(id)).toMatchObject([
      { outcome: 'delivered', status: 200, response: 'told 200', next_try_at: null },
      { outcome: 'failed', status: 503, response: 'told 503', attempt: 1, next_try_at: expect.any(String) },
    ]);
    isStuck = false;
    await makeDue(id);
    await until(async () => (await endpoint(id)).waiting === 0);
    const notes = receiver.deliveries
      .filter(({ event }) => event.data.canonical_id === stuck)
      .map(({ event }) => event.data.object.notes);
    expect(notes).toEqual(['first', 'first', 'second']);
    expect(await endpoint(id)).toMatchObject({ failing_since: null, enabled: true });
  });

  it('wait up to a limit behind one that fails, and are delivered when it is', async () => {
    const { id } = await register({ types: ['object.changed'] });
    let isStuck = true;
    receiver.answer((response) => response.writeHead(isStuck ? 503 : 200).end());
    await note(payments[0], 'first');
    await until(async () => (await endpoint(id)).waiting === 1);
    await leaseFor(id, '1 hour');
    // What waits but for one, behind the first.
    await customer.sql(
      `insert into webhook_deliveries (customer_id, endpoint_id, sequence, object, attempts, next_at, is_resend)
       select d.customer_id, d.endpoint_id, 1000000000 + n, d.object, 0, now(), false
       from webhook_deliveries d, generate_series(1, ${MOST_OPEN - 2}) n where d.customer_id = $1 and d.endpoint_id = $2`,
      [customer.customerId, id],
    );
    await customer.sql(
      `update webhook_deliveries set next_at = now() + interval '1 hour' where customer_id = $1 and endpoint_id = $2`,
      [customer.customerId, id],
    );
    await customer.sql(
      `update webhook_endpoints set retry_at = now() + interval '1 hour', open_deliveries = ${MOST_OPEN - 1}
       where customer_id = $1 and id = $2`,
      [customer.customerId, id],
    );
    await note(payments[0], 'second');
    await note(payments[0], 'third');
    await leaseFor(id, '0');
    await until(async () => (await endpoint(id)).waiting >= MOST_OPEN);
    expect((await endpoint(id)).waiting).toBe(MOST_OPEN);
    isStuck = false;
    // However many wait, one of them is tried at once when it is asked for.
    const sent = receiver.deliveries.length;
    const first = receiver.deliveries[0]?.event;
    const asked = await customer.client.post(`/webhook-endpoints/${id}/resend`, { event_id: first?.id });
    expect(asked.status).toBe(200);
    await receiver.until(sent + 1);
    expect(receiver.deliveries[sent]?.event).toEqual(first);
    await makeDue(id);
    await receiver.until((deliveries) => notesOf(deliveries).length === 3);
    expect(notesOf(receiver.deliveries)).toEqual(['first', 'second', 'third']);
  });

  it('leave nothing out when later ones are asked for before the first', async () => {
    const { id } = await register({ types: ['object.changed'] });
    await leaseFor(id, '1 hour');
    // As one that was registered while too many events had no numbers.
    await customer.sql(
      'update webhook_endpoints set position = null, starts_at = created_at where customer_id = $1 and id = $2',
      [customer.customerId, id],
    );
    await note(payments[0], 'first');
    await customer.client.post(`/webhook-endpoints/${id}/resend`, { since: '2100-01-01' });
    await receiver.until(1);
    expect(notesOf(receiver.deliveries)).toEqual(['first']);
  });

  it('keep the order of an object also when one was asked for before its turn', async () => {
    const { id } = await register({ types: ['object.changed'] });
    receiver.answer((response) => response.writeHead(503).end());
    await leaseFor(id, '1 hour');
    const before = (await feedOf(customer.client)).length;
    await note(payments[0], 'first');
    await note(payments[0], 'second');
    const events = (await feedOf(customer.client)).slice(before);
    const first = events.find(({ type }) => type === 'object.changed');
    await customer.client.post(`/webhook-endpoints/${id}/resend`, { event_id: first?.id });
    await leaseFor(id, '0');
    await until(async () => (await endpoint(id)).waiting === 2);
    expect(notesOf(receiver.deliveries)).toEqual(['first']);
    receiver.answer((response) => response.writeHead(200).end());
    await makeDue(id);
    await until(async () => (await endpoint(id)).waiting === 0);
    expect(notesOf(receiver.deliveries)).toEqual(['first', 'second']);
  });

  it('follow no redirect', async () => {
    const other = await startReceiver();
    receiver.answer((response) => response.writeHead(302, { location: other.url }).end());
    const { id } = await register({ types: ['object.changed'] });
    await note(payments[0], 'redirected');
    await until(async () => (await attempts(id)).length === 1);
    expect(await attempts(id)).toMatchObject([
      { outcome: 'failed', status: 302, error: 'Redirects are not followed' },
    ]);
    expect(other.deliveries).toEqual([]);
    await other.close();
  });

  it('read a kilobyte of a response without end', async () => {
    receiver.answer((response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      };
      response.on('drain', more);
      more();
    });
    const { id } = await register({ types: ['object.changed'] });
    await note(payments[0], 'endless');
    await until(async () => (await attempts(id)).length === 1);
    expect(await attempts(id)).toMatchObject([
      { outcome: 'delivered', status: 200, response: 'x'.repeat(1_024) },
    ]);
  });

  it('take a response whose body does not come for what its head says', async () => {
    receiver.answer((response) => void response.writeHead(200).write('beg\0in'));
    const { id } = await register({ types: ['object.changed'] });
    await note(payments[0], 'slow');
    await until(async () => (await attempts(id)).length === 1);
    expect(await attempts(id)).toMatchObject([{ outcome: 'delivered', response: 'beg\uFFFDin' }]);
  });

  it('do not wait for an endpoint that is dead', async () => {
    const times = app.app.get(DeliveryTimes, { strict: false });
    const dead = await startReceiver();
    dead.answer(() => undefined);
    times.attempt = 3_600_000;
    const silent = await register({ url: dead.url, types: ['object.changed'] });
    await register({ types: ['object.changed'] });
    await note(payments[0], 'one');
    await dead.until(1);
    await note(payments[1], 'two');
    await receiver.until(2);
    expect(await attempts(silent.id)).toEqual([]);
    times.attempt = 15_000;
    await customer.client.send('DELETE', `/webhook-endpoints/${silent.id}`, {});
    await dead.close();
  });

  it('end for an endpoint that has failed for five days, with an event and a log line', async () => {
    const { id } = await register({ types: ['object.changed'] });
    await note(payments[0], 'begins to fail');
    receiver.answer((response) => response.writeHead(500).end());
    await until(async () => (await attempts(id)).length > 0);
    await customer.sql(
      `update webhook_endpoints set failing_since = failing_since - interval '5 days' where customer_id = $1`,
      [customer.customerId],
    );
    receiver.answer((response) => response.writeHead(500).end());
    await note(payments[1], 'fails');
    await until(async () => {
      await makeDue(id);
      return !(await endpoint(id)).enabled;
    });
    expect(await endpoint(id)).toMatchObject({ disabled_reason: 'No delivery has succeeded for five days' });
    // Keys that may only read see the feed, and an address may hold a secret of the receiver.
    const [told] = await feedOf(customer.client, { type: 'webhook_endpoint.disabled' });
    expect(told?.data).toEqual({
      endpoint_id: id,
      reason: 'No delivery has succeeded for five days',
      failing_since: expect.any(String) as unknown,
    });
    expect(app.log).toContainEqual(
      expect.objectContaining({ msg: 'webhook endpoint disabled', endpoint_id: id, level: 'warn' }),
    );
    const { status } = await customer.client.post(`/webhook-endpoints/${id}/resend`, { since: '2020-01-01' });
    expect(status).toBe(409);
    receiver.answer((response) => response.writeHead(200).end());
    await customer.client.send('PATCH', `/webhook-endpoints/${id}`, { body: { enabled: true } });
    await until(
      async () => (await endpoint(id)).waiting === 0 && (await endpoint(id)).failing_since === null,
    );
  });

  it('come again by ID also when all since a time are asked for before them', async () => {
    const { id } = await register({ types: ['object.changed'] });
    const before = (await feedOf(customer.client)).length;
    await note(payments[0], 'told');
    await receiver.until(1);
    await until(async () => (await attempts(id)).length === 1);
    const events = (await feedOf(customer.client)).slice(before);
    const settled = events.find(({ type }) => type === 'propagation.settled');
    await leaseFor(id, '1 hour');
    await customer.client.post(`/webhook-endpoints/${id}/resend`, { event_id: settled?.id });
    await customer.client.post(`/webhook-endpoints/${id}/resend`, { since: settled?.at });
    await receiver.until((deliveries) => deliveries.some(({ event }) => event.id === settled?.id));
  });

  it('come again from a time on, and none from before it, however many are later', async () => {
    const { id } = await register({ types: ['object.changed'] });
    await note(payments[0], 'before');
    await receiver.until(1);
    await note(payments[1], 'since');
    await receiver.until(2);
    await until(async () => (await attempts(id)).length === 2);
    const since = receiver.deliveries[1]?.event;
    await feedOf(customer.client);
    await customer.sql(
      `with numbered as (
         insert into events (customer_id, at, cause_id, place, type, data, sequence)
         select $1, now(), gen_random_uuid(), n, 'run.completed', '{}', f.last_sequence + n
         from event_feeds f, generate_series(1, $2::int) n where f.customer_id = $1
       )
       update event_feeds set last_sequence = last_sequence + $2::int where customer_id = $1`,
      [customer.customerId, EXAMINED],
    );
    await customer.client.post(`/webhook-endpoints/${id}/resend`, { since: since?.at });
    await receiver.until(3);
    expect(receiver.deliveries[2]?.event).toEqual(since);
  });

  it('come again when they are asked for', async () => {
    const { id } = await register();
    await note(payments[0], 'once');
    await receiver.until(2);
    await until(async () => (await attempts(id)).length === 2);
    const [first, second] = receiver.deliveries.map(({ event }) => event);
    await customer.client.post(`/webhook-endpoints/${id}/resend`, { event_id: first!.id });
    await receiver.until(3);
    await until(async () => (await endpoint(id)).waiting === 0);
    await customer.client.post(`/webhook-endpoints/${id}/resend`, { since: second!.at });
    await receiver.until(4);
    expect(receiver.deliveries.slice(2).map(({ event }) => event)).toEqual(
      first!.at === second!.at ? [first, first] : [first, second],
    );
  });
});
