import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJsonText, stringifyJson, type JsonObject } from '@app/mapper';
import { objectBodyOf, Refusal, Router, SimulatedClock, SimulatorCore, StateFile, SwitchBoard } from '.';
import type { Reply, SimulatedRequest } from '.';

interface Switches {
  refusal: 400 | 404;
  strict: boolean;
}

describe('a simulator', () => {
  let core: SimulatorCore<Switches>;
  let url: string;
  let control: string;
  let kept: JsonObject[];

  beforeEach(async () => {
    kept = [];
    const switches = new SwitchBoard<Switches>({
      refusal: { default: 404, values: [400, 404], about: 'Status of a refusal' },
      strict: { default: true, about: 'Whether it is strict' },
    });
    core = new SimulatorCore(switches, { clock: new SimulatedClock({ factor: 0, start: new Date(0) }) });
    core.addEdits({
      forget: {
        about: 'Forgets everything',
        run: () => {
          kept = [];
          return { kept: 0 };
        },
      },
    });
    const router = new Router<(request: SimulatedRequest) => Reply>()
      .route('POST', '/things', (request) => {
        const thing = objectBodyOf(request);
        if (thing === undefined) throw new Refusal({ status: switches.get('refusal'), text: 'no thing' });
        kept.push(thing);
        return { status: 201, json: thing };
      })
      .route('GET', '/things({id})', () => ({ status: 200, json: { kept: kept.length } }));
    url = await core.serve((request) => {
      const found = router.find(request.method, request.path);
      if (found.kind === 'handler') return found.handler(request);
      throw new Refusal({ status: found.kind === 'unknown' ? 404 : 405 });
    });
    control = await core.serveControl(() => ({ kept: kept.length }));
  });
  afterEach(async () => {
    await core.close();
    expect(core.defects).toEqual([]);
  });

  const post = (body: string): Promise<Response> => fetch(`${url}/things`, { method: 'POST', body });
  const tell = (path: string, method: string, body?: object): Promise<Response> =>
    fetch(control + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

  it('keeps the spelling of numbers, and answers what the platform throws', async () => {
    expect(await (await post('{"id":9007199254740993,"x":1.10}')).text()).toBe(
      '{"id":9007199254740993,"x":1.1}',
    );
    expect((await post('{')).status).toBe(404);
    expect((await fetch(`${url}/things`)).status).toBe(405);
    expect(await (await fetch(`${url}/things(7)`)).json()).toEqual({ kept: 1 });
  });

  it.each([
    ['reset_before', 0],
    ['reset_after', 1],
    ['cut', 1],
  ] as const)('cuts the connection (%s): the work is done %i times', async (kind, times) => {
    core.faults.add({ match: { method: 'POST' }, kind });
    await expect(post('{"id":1}').then((answer) => answer.text())).rejects.toThrow();
    expect(kept).toHaveLength(times);
    expect((await post('{"id":1}')).status).toBe(201);
    expect(core.faults.isSpent).toBe(true);
  });

  it('answers in the place of the platform, before or after the work', async () => {
    core.faults.add(
      { match: { path: '/things' }, kind: 'status', status: 503, headers: { 'Retry-After': '7' } },
      { match: { path: '/things', nth: 2 }, kind: 'status', status: 504, effect: true },
      { match: { path: '/things', nth: 3 }, kind: 'html' },
      { match: { path: '/things', nth: 4 }, kind: 'truncate' },
    );
    const refused = await post('{}');
    expect([refused.status, refused.headers.get('retry-after'), kept.length]).toEqual([503, '7', 0]);
    expect([(await post('{}')).status, kept.length]).toEqual([504, 1]);
    const page = await post('{}');
    expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
    const half = await post('{"name":"value"}');
    expect([half.status, await half.text(), kept.length]).toEqual([201, '{"name":', 2]);
  });

  it('delays by its own clock', async () => {
    core.faults.add({ match: {}, kind: 'delay', ms: 60_000 });
    const answer = post('{}');
    while (core.log.list().length === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(kept).toHaveLength(0);
    core.clock.advance(60_000);
    expect((await answer).status).toBe(201);
  });

  it('takes faults, switches, edits and time over the control port, and shows its log without secrets', async () => {
    await tell('/faults', 'POST', [
      { match: { method: 'post', nth: 2 }, kind: 'edit', edit: 'forget' },
      { match: { path: 'secret' }, times: 0, kind: 'headers', headers: { 'X-Marked': 1 } },
    ]);
    await post('{"one":1}');
    const marked = await fetch(`${url}/things(1)?code=secret-code&x=secret`, {
      headers: { authorization: 'Bearer abc' },
    });
    expect(marked.headers.get('x-marked')).toBe('1');
    await post('{"two":2}');
    expect(kept).toEqual([{ two: 2 }]);
    const log = await (await tell('/requests', 'GET')).text();
    expect(log).toContain('/things(1)?code=-&x=secret');
    expect(log).not.toMatch(/abc|secret-code/);
    expect(await (await tell('/requests?matching=%5EGET', 'GET')).json()).toHaveLength(1);

    expect((await tell('/switches', 'PATCH', { refusal: 400 })).status).toBe(200);
    expect((await post('{')).status).toBe(400);
    expect((await tell('/switches', 'PATCH', { refusal: 500 })).status).toBe(400);
    expect((await tell('/switches', 'PATCH', { other: 1 })).status).toBe(400);
    expect(await (await tell('/state/forget', 'POST', {})).json()).toEqual({ kept: 0 });
    expect((await tell('/state/nothing', 'POST', {})).status).toBe(400);
    expect(await (await tell('/state', 'GET')).json()).toMatchObject({
      kept: 0,
      edits: { forget: 'Forgets everything' },
    });
    await tell('/clock', 'POST', { advance_ms: 1000 });
    expect(await (await tell('/clock', 'GET')).json()).toEqual({
      now: '1970-01-01T00:00:01.000Z',
      factor: 0,
    });
    for (const bad of [
      { kind: 'none' },
      { kind: 'status', status: '5' },
      { kind: 'reset_after', match: { path: '(' } },
    ]) {
      expect((await tell('/faults', 'POST', bad)).status).toBe(400);
    }
    await tell('/faults', 'DELETE');
    expect(await (await tell('/faults', 'GET')).json()).toEqual([]);
  });

  it('counts what is being answered at once', async () => {
    core.faults.add({ match: {}, times: 3, kind: 'delay', ms: 10 });
    const answers = [1, 2, 3].map(() => post('{}'));
    while (core.log.mostRunning() < 3) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    core.clock.advance(10);
    await Promise.all(answers);
    expect(core.log.mostRunning()).toBe(3);
  });
});

describe('the clock', () => {
  it('rings in the order of time when time is skipped, and never for what was taken back', () => {
    const clock = new SimulatedClock({ factor: 0 });
    const rung: string[] = [];
    clock.after(20, () => rung.push('late'));
    clock.after(10, () => rung.push('early'));
    clock.after(15, () => rung.push('never'))();
    clock.after(30, () => rung.push('not yet'));
    clock.advance(20);
    expect(rung).toEqual(['early', 'late']);
  });

  it('runs faster than ours', async () => {
    const clock = new SimulatedClock({ factor: 1_000_000 });
    const start = clock.now();
    await clock.wait(3_600_000);
    expect(clock.now() - start).toBeGreaterThanOrEqual(3_600_000);
  });
});

describe('a state file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'simulated-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has the last state after closing, exact numbers included', () => {
    const path = join(folder, 'state.json');
    let state = parseJsonText('{"id":1}');
    const file = new StateFile(path, () => state);
    expect(StateFile.read(path)).toBeUndefined();
    file.changed();
    state = parseJsonText('{"id":9007199254740993}');
    file.close();
    expect(readFileSync(path, 'utf8')).toBe('{"id":9007199254740993}');
    expect(stringifyJson(StateFile.read(path))).toBe('{"id":9007199254740993}');
  });
});
