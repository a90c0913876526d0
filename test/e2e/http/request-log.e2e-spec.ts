import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { ProbeModule } from '../../support/app/probe.module';

describe('the request log', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({}, [ProbeModule]);
  });
  afterAll(() => service.close());

  async function lineOf(requestId: string | null) {
    for (;;) {
      const lines = service.log.filter(({ msg, request_id: id }) => msg === 'request' && id === requestId);
      if (lines.length > 0) return lines;
      await sleep(5);
    }
  }

  it('has one line for each request, with the customer but without key, query and body', async () => {
    const { key, customerId } = await service.openSession();
    // A query is refused, and the log has it as little as the rest.
    const answer = await api(service.url, key).post(
      '/probe?secret=in-the-query',
      { platform: 'platform_a', name: 'secret-in-the-body' },
      { 'X-Secret': 'in-a-header' },
    );
    expect(await lineOf(answer.headers.get('X-Request-ID'))).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        msg: 'request',
        method: 'POST',
        route: '/api/v1/probe',
        status: 400,
        duration_ms: expect.any(Number),
        request_id: answer.headers.get('X-Request-ID'),
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        customer_id: customerId,
        key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
    expect(JSON.stringify(service.log)).not.toMatch(/secret|sk_demo_/);
  });

  it.each([
    ['GET', '/nowhere?token=secret', {}, 404, null],
    ['POST', '/probe', {}, 401, '/api/v1/probe'],
    ['POST', '/probe', { 'Content-Type': 'text/plain' }, 415, null],
    ['OPTIONS', '/probe', {}, 204, null],
  ])('has a line for %s %s %j, answered with %d', async (method, path, headers, status, route) => {
    const answer = await api(service.url).send(method, path, { headers });
    const [line] = await lineOf(answer.headers.get('X-Request-ID'));
    expect(line).toMatchObject({ method, status, route });
    expect(line).not.toHaveProperty('customer_id');
  });

  it('says when the client did not wait for its answer', async () => {
    const { key } = await service.openSession();
    const id = 'req_0123456789abort';
    const cancel = new AbortController();
    const response = await fetch(`${service.url}/api/v1/probe/stream/endless`, {
      headers: { Authorization: `Bearer ${key}`, 'X-Request-ID': id },
      signal: cancel.signal,
    });
    expect(response.status).toBe(200);
    cancel.abort();
    expect(await lineOf(id)).toEqual([expect.objectContaining({ aborted: true })]);
  });
});
