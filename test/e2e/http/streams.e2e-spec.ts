import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { PIECE, PIECES, ProbeModule, streams } from '../../support/app/probe.module';

describe('streamed answers', () => {
  let service: RunningApp;
  let key: string;
  let caller: ReturnType<typeof api>;
  beforeAll(async () => {
    service = await startApp({}, [ProbeModule]);
    ({ key } = await service.openSession());
    caller = api(service.url, key);
  });
  afterAll(() => service.close());

  it('come in the envelope, short ones in one piece', async () => {
    const answer = await caller.get('/probe/stream/short');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('{"data":[1,{"a":2},3]}');
    expect(answer.headers.get('Content-Length')).toBe('22');
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  });

  it('come whole when they are long', async () => {
    const answer = await caller.get('/probe/stream/long');
    expect(answer.headers.get('Transfer-Encoding')).toBe('chunked');
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(answer.body.data).toHaveLength(PIECES);
    expect(answer.text.length).toBeGreaterThan(PIECE * PIECES);
  });

  it('answer HEAD without a body, and stop reading', async () => {
    const before = streams.ended;
    for (const path of ['/probe/stream/short', '/probe/stream/long', '/probe/stream/endless']) {
      const answer = await caller.send('HEAD', path);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '' });
    }
    await until(() => streams.ended === before + 1);
  });

  it('are proper errors when they fail before the first portion', async () => {
    expectError(await caller.get('/probe/stream/fails-first'), 502, 'EXTERNAL_SERVICE_ERROR');
  });

  it('break off when they fail midway, so that no client takes them for complete', async () => {
    await expect(caller.get('/probe/stream/fails-midway')).rejects.toThrow('terminated');
    expect(service.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'An answer broke off midway',
        request_id: expect.stringMatching(/^req_/),
        err: expect.objectContaining({ message: 'the database went away' }),
      }),
    );
  });

  it('wait for a slow reader, and end when it goes away', async () => {
    const { written, ended } = streams;
    const headers = { Authorization: `Bearer ${key}` };
    const request = get(`${service.url}/api/v1/probe/stream/endless`, { headers });
    await new Promise<void>((resolve, reject) => {
      request.once('response', (response) => {
        response.pause();
        resolve();
      });
      request.once('error', reject);
    });
    // Written is what fits into the buffers on the way, and no more.
    const settled = await steady(() => streams.written);
    expect((settled - written) * PIECE).toBeLessThan(50_000_000);
    expect(streams.ended).toBe(ended);
    request.destroy();
    await until(() => streams.ended === ended + 1);
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

async function steady(value: () => number): Promise<number> {
  for (let last = value(); ; last = value()) {
    await sleep(200);
    if (value() === last) return last;
  }
}
