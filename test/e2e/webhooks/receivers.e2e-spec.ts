import { RequestBodies } from '../../../src/common/body/request-bodies';
import { invalidInput } from '../../../src/common/errors/api-error';
import { Overloaded } from '../../../src/runtime/fairness/overloaded';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { SyncRequests } from '../../../src/sync/schedule/sync-requests';
import { startApp } from '../../support/app/app';
import { expectError, REQUEST_ID } from '../../support/app/expectations';
import {
  startWebhookService,
  type LiveCustomer,
  type WebhookService,
} from '../../support/live/webhook-service';

jest.setTimeout(60_000);

const nowhere = 'x'.repeat(43);

/** A call that a platform has made, to be made again with changes. */
interface Call {
  readonly target: string;
  readonly secret: string;
}

describe('receivers of calls by live platforms', () => {
  let service: WebhookService;
  let customer: LiveCustomer;
  let a: Call;
  let b: Call;
  beforeAll(async () => {
    service = await startWebhookService();
    customer = await service.open('platform_a', 'platform_b');
    await service.keep();
    const { passed } = service.address;
    passed.splice(0);
    const project = service.a.control.records('projects')[0]?.['id'] ?? null;
    service.a.control.edit('change_record', { kind: 'projects', id: project, set: { name: 'New' } });
    const number = service.b.control.records('customers')[0]?.['number'] ?? null;
    const where = { table: 'customers', field: 'number', value: number };
    service.b.control.edit('update', { ...where, fields: { displayName: 'New' } });
    await service.b.control.flushWebhooks();
    await service.until(() => passed.length === 2);
    const callOf = (platform: string): Call => {
      const call = passed.find(({ target }) => target.includes(platform));
      const { target = '', headers, body = '' } = call ?? {};
      const secret =
        headers?.authorization?.slice('Bearer '.length) ?? /"clientState":"(\w+)"/.exec(body)?.[1];
      return { target, secret: secret ?? '' };
    };
    [a, b] = [callOf('platform_a'), callOf('platform_b')];
  });
  beforeEach(() => service.stored.query('update sync_schedules set requested_at = null'));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.close());

  const first = () => service.instances[0];
  async function call(
    target: string,
    {
      headers = {},
      body,
      method = 'POST',
    }: { headers?: Record<string, string>; body?: string; method?: string } = {},
  ) {
    const answer = await fetch(first().url + target, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : undefined,
    };
  }
  const notice = (clientState: unknown) => JSON.stringify({ value: [{ subscriptionId: 'x', clientState }] });
  const withSecret = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` }, body: '{}' });
  const requested = async () => [
    await service.isRequested(customer, 'platform_a'),
    await service.isRequested(customer, 'platform_b'),
  ];
  const counted = async (platform: string, result: string): Promise<number> => {
    const metric = await first()
      .app.get(Metrics, { strict: false })
      .registry.getSingleMetric('translation_webhook_notices_total')
      ?.get();
    const sample = metric?.values.find(
      ({ labels }) => labels.platform === platform && labels.result === result,
    );
    return sample?.value ?? 0;
  };

  it('ask for a reading of the connection that is called for, and of no other', async () => {
    const accepted = await counted('platform_a', 'accepted');
    expect(await call(a.target, withSecret(a.secret))).toMatchObject({ status: 200, text: '' });
    expect(await requested()).toEqual([true, false]);
    expect(await counted('platform_a', 'accepted')).toBe(accepted + 1);
    await service.stored.query('update sync_schedules set requested_at = null');
    const several = JSON.stringify({ value: [{ clientState: 'of another' }, { clientState: b.secret }] });
    expect(await call(b.target, { body: several })).toMatchObject({ status: 200, text: '' });
    expect(await requested()).toEqual([false, true]);
  });

  it('take what the platform says for nothing: a secret with nonsense is a call', async () => {
    expect((await call(a.target, { ...withSecret(a.secret), body: 'no JSON at all' })).status).toBe(200);
    expect(await requested()).toEqual([true, false]);
  });

  it('refuse platform_a without proof, and say the same whatever is wrong', async () => {
    const unproven = await counted('platform_a', 'unproven');
    const answers = [
      await call(a.target),
      await call(a.target, withSecret('wrong')),
      await call(a.target, withSecret(b.secret)),
      await call(a.target, { headers: { authorization: a.secret } }),
      await call(a.target.replace(/\w{43}$/, nowhere), withSecret(a.secret)),
      await call('/webhooks/platform_a/short', withSecret(a.secret)),
      await call(b.target.replace('platform_b', 'platform_a'), withSecret(b.secret)),
    ];
    for (const answer of answers) {
      expectError(answer, 401, 'AUTHENTICATION_ERROR');
      expect(answer.body.error.message).toBe(answers[0]?.body.error.message);
      expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
    }
    expect(await requested()).toEqual([false, false]);
    expect(await counted('platform_a', 'unproven')).toBe(unproven + answers.length);
  });

  it('answer platform_b without proof as with it, and do nothing: a refusal would end the subscription', async () => {
    const unproven = await counted('platform_b', 'unproven');
    const answers = [
      await call(b.target),
      await call(b.target, { body: notice('wrong') }),
      await call(b.target, { body: notice(null) }),
      await call(b.target, { body: notice(a.secret) }),
      await call(b.target, { body: `{"value":[{"clientState":"${b.secret}"` }),
      await call(b.target, { body: JSON.stringify([{ clientState: b.secret }]) }),
      await call(b.target, { body: notice(b.secret), headers: { 'content-encoding': 'gzip' } }),
      await call(b.target, { body: JSON.stringify({ value: b.secret.repeat(120_000) }) }),
      await call(b.target.replace(/\w{43}$/, nowhere), { body: notice(b.secret) }),
      await call('/webhooks/platform_b/short', { body: notice(b.secret) }),
      await call(a.target.replace('platform_a', 'platform_b'), withSecret(a.secret)),
    ];
    expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [200, '']));
    expect(await requested()).toEqual([false, false]);
    expect(await counted('platform_b', 'unproven')).toBe(unproven + answers.length);
  });

  it('mind no content type, which platforms choose', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await call(b.target, { headers, body: notice(b.secret) })).status).toBe(200);
    expect(await requested()).toEqual([false, true]);
  });

  it('have the platform call again when the request cannot be stored', async () => {
    const failed = await counted('platform_b', 'failed');
    jest
      .spyOn(first().app.get(SyncRequests, { strict: false }), 'request')
      .mockRejectedValue(new Overloaded('Too much waits'));
    for (const answer of [
      await call(a.target, withSecret(a.secret)),
      await call(b.target, { body: notice(b.secret) }),
    ]) {
      expectError(answer, 502, 'EXTERNAL_SERVICE_ERROR');
      expect(answer.headers.get('Retry-After')).toBe('1');
    }
    expect(await counted('platform_b', 'failed')).toBe(failed + 1);
  });

  it('have platform_b call again when the body with the proof arrives too slowly', async () => {
    const failed = await counted('platform_b', 'failed');
    const tooSlow = invalidInput(['the body took too long to arrive'], { status: 408 });
    jest.spyOn(first().app.get(RequestBodies, { strict: false }), 'read').mockRejectedValue(tooSlow);
    expect((await call(b.target, { body: notice(b.secret) })).status).toBe(408);
    expect(await counted('platform_b', 'failed')).toBe(failed + 1);
    // An address that is not known says nothing, however the body arrives.
    const unknown = b.target.replace(/\w{43}$/, nowhere);
    expect((await call(unknown, { body: notice(b.secret) })).status).toBe(200);
    // The header of platform_a has proven the call before its body is read.
    expect((await call(a.target, withSecret(a.secret))).status).toBe(200);
    expect(await requested()).toEqual([true, false]);
  });

  describe('handshake', () => {
    const open = (until: string) =>
      service.stored.query(`update webhook_subscriptions set handshake_until = now() + $1::interval`, [
        until,
      ]);
    afterEach(() => open('-1 second'));
    const shake = (token: string, method = 'POST', target = b.target) =>
      call(`${target}?validationToken=${encodeURIComponent(token)}`, { method });

    it('gives the token back as plain text while the address is being registered', async () => {
      await open('1 minute');
      for (const method of ['POST', 'GET']) {
        const answer = await shake('<script>alert(1)</script> 123', method);
        expect([answer.status, answer.text]).toEqual([200, '<script>alert(1)</script> 123']);
        expect(answer.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
        expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff');
        expect(answer.headers.get('X-Request-ID')).toMatch(REQUEST_ID);
      }
      expect(await requested()).toEqual([false, false]);
    });

    it('gives nothing back at any other time, and nowhere else', async () => {
      expect(await shake('token')).toMatchObject({ status: 200, text: '' });
      await open('1 minute');
      const elsewhere = b.target.replace(/\w{43}$/, nowhere);
      expect(await shake('token', 'POST', elsewhere)).toMatchObject({ status: 200, text: '' });
      const ofA = a.target.replace('platform_a', 'platform_b');
      expect(await shake('token', 'POST', ofA)).toMatchObject({ status: 200, text: '' });
    });

    it.each([
      ['is too long', 'x'.repeat(1_025)],
      ['is empty', ''],
      ['has lines', 'a\r\nSet-Cookie: b'],
      ['is no ASCII', 'ä'],
    ])('gives nothing back that %s', async (_what, token) => {
      await open('1 minute');
      expect(await shake(token)).toMatchObject({ status: 200, text: '' });
    });

    it('gives nothing back that comes twice', async () => {
      await open('1 minute');
      expect(await call(`${b.target}?validationToken=a&validationToken=b`)).toMatchObject({
        status: 200,
        text: '',
      });
    });

    it('is none of platform_a, whose address asks for its secret', async () => {
      await open('1 minute');
      expectError(await shake('token', 'POST', a.target), 401, 'AUTHENTICATION_ERROR');
    });
  });

  it('are nothing but receivers', async () => {
    for (const [target, method] of [
      [a.target, 'GET'],
      [b.target, 'GET'],
      ['/webhooks/platform_c/x', 'POST'],
      ['/webhooks/platform_a', 'POST'],
      ['/webhooks/platform_a/x/y', 'POST'],
      [`/api/v1${a.target}`, 'POST'],
      [a.target, 'DELETE'],
    ] as const) {
      const headers = { authorization: `Bearer ${a.secret}` };
      expectError(await call(target, { method, headers }), 404, 'NOT_FOUND');
    }
    expect(await requested()).toEqual([false, false]);
  });

  it('are not there without a public address', async () => {
    const off = await startApp({ databaseUrl: first().databaseUrl });
    try {
      for (const { target, secret } of [a, b]) {
        const answer = await fetch(off.url + target, { method: 'POST', ...withSecret(secret) });
        expect(answer.status).toBe(404);
      }
      expect(await requested()).toEqual([false, false]);
    } finally {
      await off.close();
    }
  });

  it('name customer and platform in the log of requests once they are proven', async () => {
    const before = first().log.length;
    await call(a.target, withSecret(a.secret));
    await call(a.target, withSecret('wrong'));
    await call(b.target, { body: notice(b.secret) });
    const lines = () =>
      first()
        .log.slice(before)
        .filter(({ msg }) => msg === 'request');
    await service.until(() => lines().length === 3);
    const of = (platform: string) => ({ customer_id: customer.customerId, platform });
    expect(lines()).toEqual([
      expect.objectContaining(of('platform_a')),
      expect.not.objectContaining({ customer_id: expect.anything() }),
      expect.objectContaining(of('platform_b')),
    ]);
  });

  it('leave no address in the log of requests', () => {
    const lines = first().log.filter(({ msg }) => msg === 'request');
    expect(lines.map(({ route }) => route)).toContain('/webhooks/:platform/:address');
    expect(JSON.stringify(lines)).not.toContain(a.target.slice(-43));
  });
});
