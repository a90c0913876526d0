import { keyOf, startedPlatformB, type ApiResponse, type Started } from './testing/api-client';

describe('limits of the ERP', () => {
  let erp: Started;
  beforeEach(async () => {
    erp = await startedPlatformB();
  });
  afterEach(async () => {
    await erp.close();
    expect(erp.control.defects).toEqual([]);
  });

  /** Waits until so many requests have come; they may still be waiting for the clock. */
  const arrived = async (requests: number): Promise<void> => {
    while (erp.control.log.list(/projects/).length < requests) await turn();
    await turn();
  };
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
  const ask = (): Promise<ApiResponse> => erp.get('projects');

  it('run five requests at once; the next ones wait for their turn', async () => {
    erp.control.switches.set('latencyMs', 1000);
    const answers = Array.from({ length: 12 }, ask);
    await arrived(12);
    for (let round = 0; round < 3; round += 1) {
      erp.control.clock.advance(1000);
      await turn();
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(
      Array.from({ length: 12 }, () => 200),
    );
    expect(erp.control.load()).toEqual({ mostRunning: 5, refusals: 0 });
  });

  it('refuse whom has waited for eight minutes, with a time to come again', async () => {
    erp.control.switches.setAll({ latencyMs: 600_000, runningAtOnce: 1 });
    const first = ask();
    await arrived(1);
    const second = ask();
    await arrived(2);
    erp.control.clock.advance(480_000);
    const refused = await second;
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    erp.control.clock.advance(120_000);
    expect((await first).status).toBe(200);
  });

  it('refuse more connections than there may be', async () => {
    erp.control.switches.setAll({ latencyMs: 1000, runningAtOnce: 1, connections: 2 });
    const answers = [ask(), ask()];
    await arrived(2);
    const refused = await ask();
    expect(refused.body.error).toMatchObject({
      code: 'Application_TooManyRequests',
      message: expect.stringContaining('Too many requests reached. Actual (3). Maximum (2).'),
    });
    erp.control.clock.advance(1000);
    await turn();
    erp.control.clock.advance(1000);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('count requests in five minutes that slide, and answer 429 without a time', async () => {
    expect(erp.control.switches.get('requestsPerWindow')).toBe(6000);
    erp.control.switches.set('requestsPerWindow', 3);
    await ask();
    erp.control.clock.advance(200_000);
    await ask();
    await ask();
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    erp.control.clock.advance(100_000);
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(429);
    erp.control.switches.set('retryAfterOn429', 7);
    expect((await ask()).headers.get('retry-after')).toBe('7');
  });

  it.each([502, 503])('may answer %i with a time, without any work', async (status) => {
    erp.control.faults.add({
      match: { method: 'POST', path: '/projects' },
      kind: status === 502 ? 'html' : 'status',
      status,
      headers: { 'retry-after': '9' },
    });
    const answer = await erp.send('POST', 'projects', { number: 'X' });
    expect([answer.status, answer.headers.get('retry-after'), erp.control.effects]).toEqual([
      status,
      '9',
      [],
    ]);
  });

  it.each([504, 408])('may answer %i after the work is done', async (status) => {
    erp.control.faults.add({
      match: { method: 'POST', path: '/projects' },
      kind: 'status',
      status,
      effect: true,
    });
    expect((await erp.send('POST', 'projects', { number: 'X' })).status).toBe(status);
    expect(erp.control.effects).toMatchObject([{ by: 'api', table: 'projects', kind: 'created' }]);
  });

  it.each([
    ['reset_before', 0],
    ['reset_after', 1],
    ['truncate', 1],
  ] as const)('may end in %s, with %i effects', async (kind, effects) => {
    erp.control.faults.add({ match: { method: 'POST', path: '/projects' }, kind });
    await expect(erp.send('POST', 'projects', { number: 'X' })).rejects.toThrow();
    expect(erp.control.effects).toHaveLength(effects);
  });

  it('let a foreign edit come between a reading and a write', async () => {
    const [project] = erp.control.records('projects');
    const id = keyOf(project);
    erp.control.faults.add({
      match: { method: 'PATCH' },
      kind: 'edit',
      edit: 'update',
      with: { table: 'projects', id, fields: { displayName: 'Theirs' } },
    });
    const { body } = await erp.get(`projects(${id})`);
    const answer = await erp.send(
      'PATCH',
      `projects(${id})`,
      { displayName: 'Ours' },
      { 'if-match': body['@odata.etag'] },
    );
    expect(answer.status).toBe(409);
    expect(erp.control.record('projects', id)?.displayName).toBe('Theirs');
  });

  it('show state and switches on the control port, and no secret', async () => {
    const state = await (await fetch(`${erp.controlUrl}/state`)).text();
    expect(JSON.parse(state)).toMatchObject({ records: { projects: 5 }, effects: 0 });
    expect(state).not.toContain(erp.credentials.client_secret);
    const { body: switches } = await erp.get(`${erp.controlUrl}/switches`);
    expect(switches.staleEtagStatus).toMatchObject({ value: 409, default: 409, values: [409, 412] });
    const refused = await fetch(`${erp.controlUrl}/state/update`, {
      method: 'POST',
      body: '{"table":"nothing"}',
    });
    expect(refused.status).toBe(400);
  });
});
