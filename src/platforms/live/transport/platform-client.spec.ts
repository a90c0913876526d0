import type { IncomingMessage, ServerResponse } from 'node:http';
import { Metrics } from '../../../runtime/metrics/metrics';
import { NoSpans } from '../../../runtime/tracing/spans';
import { traceContextOf } from '../../../runtime/tracing/trace-context';
import { livePlatforms } from '../../live-platforms';
import { RateLimitWaitTooLong } from '../pacing/permit';
import type { CallEnd } from '../pacing/call-end';
import { keptLog } from '../testing/log-lines';
import { httpServer, type Loopback } from '../testing/loopback';
import { ManualTime } from '../testing/manual-time';
import { HttpExchanges } from './http-exchanges';
import { PlatformClient } from './platform-client';
import type { PlatformRequest } from '../platform-request';
import { MOST_ATTEMPTS } from './retry';

const connection = { customerId: '3f1b6a9e-2c0d-4b7e-8a55-9d3f6c1e2b70', platform: 'platform_a' } as const;

type Responder = (response: ServerResponse, request: IncomingMessage) => void;

const status =
  (code: number, headers: Record<string, string> = {}): Responder =>
  (response) =>
    response.writeHead(code, headers).end('{}');
const broken: Responder = (response) => response.destroy();

describe('PlatformClient', () => {
  let exchanges: HttpExchanges;
  let server: Loopback;
  let answers: Responder[];
  let seen: IncomingMessage[];
  let time: ManualTime;
  let metrics: Metrics;
  let log: ReturnType<typeof keptLog>;
  const signal = new AbortController().signal;

  beforeEach(async () => {
    exchanges = new HttpExchanges();
    [answers, seen, time, metrics, log] = [[], [], new ManualTime(), new Metrics(), keptLog()];
    server = await httpServer((request, response) => {
      seen.push(request);
      (answers.shift() ?? status(200))(response, request);
    });
  });
  afterEach(async () => {
    await exchanges.close();
    await server.close();
  });

  /** A rate limiter that allows every call, and keeps what it is told. */
  const openGate = () => {
    const told: CallEnd['facts'][] = [];
    let inside = 0;
    return {
      told,
      inside: () => inside,
      rules: () => livePlatforms.platform_a.limits,
      acquire: () => {
        inside += 1;
        let left = false;
        return Promise.resolve({
          release: (facts: CallEnd['facts']) => {
            if (left) return;
            left = true;
            inside -= 1;
            told.push(facts);
          },
        });
      },
    };
  };
  const client = (limiter?: ConstructorParameters<typeof PlatformClient>[2]) =>
    new PlatformClient(
      connection,
      { exchanges, metrics, spans: new NoSpans(), logger: log.logger, time },
      limiter,
    );
  const read = (more: Partial<PlatformRequest> = {}): PlatformRequest => ({
    kind: 'read',
    method: 'GET',
    url: `${server.url}/list?company_id=company-of-theirs&filters[id]=9`,
    signal,
    ...more,
  });
  const write = (more: Partial<PlatformRequest> = {}): PlatformRequest =>
    read({ kind: 'write', method: 'POST', body: { type: 'json', text: '{}' }, ...more });
  const statusOf = async (request: PlatformRequest, limiter?: ReturnType<typeof openGate>) => {
    const result = await client(limiter).send(request);
    return result.kind === 'answered' ? result.response.status : result.reason;
  };

  it.each([429, 500, 502, 503, 504])('repeats a read after %i', async (code) => {
    answers = [status(code), status(code), status(200)];
    await expect(statusOf(read())).resolves.toBe(200);
    // Half of a bound that doubles: the chance is one half.
    expect(time.slept).toEqual([250, 500]);
  });

  it('repeats a read whose connection broke or whose answer was cut', async () => {
    const cut: Responder = (response) =>
      response.writeHead(200, { 'content-length': 9 }).write('{"a"', () => response.destroy());
    answers = [broken, cut, status(200)];
    await expect(statusOf(read())).resolves.toBe(200);
    expect(seen).toHaveLength(3);
  });

  it.each([400, 401, 403, 404, 408, 409, 422])('returns %i at once', async (code) => {
    answers = [status(code)];
    await expect(statusOf(read())).resolves.toBe(code);
    expect(seen).toHaveLength(1);
  });

  it('reports each attempt that was sent', async () => {
    answers = [status(503), broken, status(200)];
    const attempts: string[] = [];
    await statusOf(
      read({ attempted: (result) => attempts.push(result.kind === 'answered' ? 'answered' : result.kind) }),
    );
    expect(attempts).toEqual(['answered', 'unknown', 'answered']);
  });

  it('gives up after so many attempts', async () => {
    answers = Array.from({ length: MOST_ATTEMPTS + 3 }, () => status(503));
    await expect(statusOf(read())).resolves.toBe(503);
    expect(seen).toHaveLength(MOST_ATTEMPTS);
  });

  it('gives up at the deadline, which the pauses count for', async () => {
    answers = Array.from({ length: MOST_ATTEMPTS }, () => status(500));
    await expect(statusOf(read({ limits: { deadlineMs: 1_000 } }))).resolves.toBe(500);
    expect(time.slept).toEqual([250, 500]);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7_000],
    [
      'a date',
      { 'retry-after': 'Fri, 02 Jan 2026 10:00:09 GMT', date: 'Fri, 02 Jan 2026 10:00:00 GMT' },
      9_000,
    ],
  ])('waits as long as the platform asks, in %s', async (_name, headers, ms) => {
    answers = [status(503, headers), status(200)];
    await expect(statusOf(read())).resolves.toBe(200);
    expect(time.slept).toEqual([ms + 250]);
  });

  it('hands over a refusal whose pause is longer than the deadline', async () => {
    answers = [status(429, { 'retry-after': '600' })];
    await expect(statusOf(read())).resolves.toBe(429);
    expect(time.slept).toEqual([]);
  });

  it.each([
    ['500', status(500)],
    ['503', status(503, { 'retry-after': '0' })],
    ['429', status(429)],
    ['a connection that broke', broken],
  ])('never repeats a write after %s', async (_name, answer) => {
    answers = [answer];
    await statusOf(write());
    expect(seen).toHaveLength(1);
    expect(time.slept).toEqual([]);
  });

  it('asks the rate limiter before each attempt, and reports the limits in the responses to it', async () => {
    const limiter = openGate();
    const limits = { 'x-rate-limit-limit': '25', 'x-rate-limit-remaining': '3' };
    answers = [status(429, { 'retry-after': '3600' }), broken, status(200, limits)];
    await expect(statusOf(read(), limiter)).resolves.toBe(200);
    expect(limiter.told).toMatchObject([
      { status: 429, retryAfterMs: 3_600_000 },
      null,
      { status: 200, window: { limit: 25, remaining: 3 } },
    ]);
    expect(limiter.inside()).toBe(0);
    // The rate limiter sees to the pause that the platform asks for.
    expect(Math.max(...time.slept)).toBeLessThan(1_000);
  });

  it('lets the reads of a command wait with the writes, and all others behind them', async () => {
    const asked: string[] = [];
    const gate = openGate();
    const limiter = { ...gate, acquire: (kind: string) => (asked.push(kind), gate.acquire()) };
    const parts = { exchanges, metrics, spans: new NoSpans(), logger: log.logger, time };
    for (const one of [connection, { ...connection, commandId: 'c' }]) {
      for (const request of [read(), write()]) await new PlatformClient(one, parts, limiter).send(request);
    }
    expect(asked).toEqual(['read', 'write', 'write', 'write']);
  });

  it('tells the rate limiter that nothing was sent', async () => {
    const limiter = openGate();
    const url = server.url;
    await server.close();
    await expect(statusOf(write({ url }), limiter)).resolves.toBe('refused');
    expect(limiter.told).toEqual(['unsent']);
    server = await httpServer(() => undefined);
  });

  it('leaves the rate limiter when the call is aborted', async () => {
    const limiter = openGate();
    const controller = new AbortController();
    answers = [() => controller.abort(new Error('enough'))];
    await expect(client(limiter).send(read({ signal: controller.signal }))).rejects.toThrow('enough');
    expect(limiter.told).toEqual([null]);
  });

  it('sends nothing when the rate limiter is shut for too long', async () => {
    const until = new Date(Date.UTC(2026, 0, 2));
    const limiter = { ...openGate(), acquire: () => Promise.reject(new RateLimitWaitTooLong(until, 90_000)) };
    await expect(client(limiter).send(write())).resolves.toEqual({
      kind: 'not_sent',
      reason: 'rate_limiter',
      until,
      afterMs: 90_000,
    });
    expect(seen).toEqual([]);
  });

  it('lets the calls of a command wait for the rate limiter as long as a write, and those of a run without a limit', async () => {
    const waits: (number | undefined)[] = [];
    const gate = openGate();
    const limiter = {
      ...gate,
      acquire: (_kind: string, _signal: AbortSignal, waitMs?: number) => {
        waits.push(waitMs);
        return gate.acquire();
      },
    };
    const parts = { exchanges, metrics, spans: new NoSpans(), logger: log.logger, time };
    const ofCommand = new PlatformClient({ ...connection, commandId: 'a command' }, parts, limiter);
    await ofCommand.send(read());
    await ofCommand.send(write());
    await client(limiter).send(read());
    expect(waits).toEqual([10_000, 10_000, Infinity]);
  });

  it('says of a write that waits for the rate limiter until its signal aborts that it was not sent', async () => {
    const controller = new AbortController();
    const acquire = (_kind: string, waiting: AbortSignal): Promise<never> =>
      new Promise((_resolve, reject) => {
        waiting.addEventListener('abort', () => reject(waiting.reason as Error));
      });
    const limiter = { ...openGate(), acquire };
    const written = client(limiter).send(write({ signal: controller.signal }));
    const looked = client(limiter).send(read({ signal: controller.signal }));
    controller.abort(new Error('enough'));
    await expect(written).resolves.toEqual({ kind: 'not_sent', reason: 'given_up' });
    await expect(looked).rejects.toThrow('enough');
    expect(seen).toEqual([]);
  });

  it('sends the request ID and the trace', async () => {
    const trace = traceContextOf('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'a=b');
    const caused = { ...connection, cause: { requestId: 'req_abcdefgh', trace } };
    await new PlatformClient(caused, {
      exchanges,
      metrics,
      spans: new NoSpans(),
      logger: log.logger,
      time,
    }).send(read());
    await statusOf(read());
    expect(seen[0]?.headers).toMatchObject({ 'x-request-id': 'req_abcdefgh', tracestate: 'a=b' });
    expect(seen[0]?.headers['traceparent']).toContain('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(log.lines[0]).toMatchObject({ request_id: 'req_abcdefgh', trace_id: trace.traceId });
    expect(seen[1]?.headers).not.toHaveProperty('traceparent');
  });

  it('logs each attempt without what could be secret', async () => {
    const secret = 'Bearer very-secret';
    answers = [
      status(500, { 'x-request-id': 'theirs', 'ms-correlation-x': 'x'.repeat(500) }),
      (response) => response.writeHead(200).end('{"body":"private"}'),
    ];
    await statusOf(read({ headers: { authorization: secret } }));
    expect(log.lines).toHaveLength(2);
    expect(log.lines[0]).toMatchObject({
      level: 'debug',
      context: 'Platform',
      platform: 'platform_a',
      method: 'GET',
      path: '/list?company_id&filters[id]',
      status: 500,
      bytes: 2,
      platform_ids: { 'x-request-id': 'theirs', 'ms-correlation-x': 'x'.repeat(100) },
    });
    expect(typeof log.lines[0]?.['ms']).toBe('number');
    expect(JSON.stringify(log.lines)).not.toMatch(/very-secret|private|company-of-theirs/);
  });

  it('counts calls, and refusals by the limits', async () => {
    answers = [status(429), status(200), broken];
    await statusOf(read());
    await statusOf(write());
    const text = await metrics.registry.metrics();
    for (const line of [
      'translation_platform_calls_total{platform="platform_a",kind="read",status="4xx"} 1',
      'translation_platform_calls_total{platform="platform_a",kind="read",status="2xx"} 1',
      'translation_platform_calls_total{platform="platform_a",kind="write",status="unknown"} 1',
      'translation_platform_limit_refusals_total{platform="platform_a"} 1',
    ]) {
      expect(text).toContain(line);
    }
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });
});
