import { connect } from 'node:net';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';

const line = { position: 1, description: 'Piling', quantity: '1.0', amount: '1.00' };
const text = JSON.stringify({
  source: 'platform_a',
  target: 'platform_b',
  entity_type: 'contract',
  data: { line_items: Array.from({ length: 2_000 }, () => line) },
  context: { commitmentType: 'WorkOrderContract' },
});

describe('A client that leaves', () => {
  let service: RunningApp;
  let caller: Caller;
  beforeAll(async () => {
    // All that is held of bodies is a multiple of the largest, so that what clients leave behind would soon fill it.
    service = await startApp({ logLevel: 'error', bodyLimitBytes: text.length });
  });
  beforeEach(async () => {
    caller = await service.openSession();
  });
  afterAll(() => service.close());

  /** Sends bytes on a connection of its own and leaves at once. */
  function leave(bytes: string, after: 'reset' | 'end' = 'reset'): Promise<void> {
    const { hostname, port } = new URL(service.url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(bytes, () => (after === 'reset' ? socket.resetAndDestroy() : socket.destroy()));
      });
      socket.once('close', () => resolve());
      socket.once('error', reject);
    });
  }

  const head = (method: string, path: string, ...fields: string[]): string =>
    [`${method} /api/v1${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', ...fields]
      .concat(`Authorization: Bearer ${caller.key}`, '', '')
      .join('\r\n');
  const chunks = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

  async function isServed(): Promise<void> {
    const client = api(service.url, caller.key);
    const answers = await Promise.all(Array.from({ length: 4 }, () => client.post('/transform', text)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const readings = Array.from({ length: 20 }, () => client.get('/connections'));
    expect(new Set((await Promise.all(readings)).map(({ status }) => status))).toEqual(new Set([200]));
  }

  it.each(['reset', 'end'] as const)(
    'with a %s keeps nothing of what a large body was given',
    async (how) => {
      const requests = [
        head('POST', '/transform', 'Transfer-Encoding: chunked'),
        head('POST', '/transform', 'Transfer-Encoding: chunked') + chunks,
        head('POST', '/transform', `Content-Length: ${text.length}`),
        head('POST', '/transform', `Content-Length: ${text.length}`) + text,
      ];
      for (let round = 0; round < 2; round += 1) {
        // A key that was not seen before is looked up first; the client has left by then.
        caller = await service.issueKey('live');
        await Promise.all(Array.from({ length: 16 }, (_, index) => leave(requests[index % 4] ?? '', how)));
        await isServed();
      }
    },
  );

  it('keeps nothing for requests that wait behind others on its connection', async () => {
    const reading = head('GET', '/connections');
    const change = head('POST', '/transform', `Content-Length: ${text.length}`) + text;
    await isServed();
    for (let round = 0; round < 2; round += 1) {
      await leave(reading.repeat(80));
      await leave(reading + change.repeat(4) + reading);
    }
    await isServed();
    // As many as a customer may have under way: none is left over from before.
    const client = api(service.url, caller.key);
    const readings = Array.from({ length: 64 }, () => client.get('/connections'));
    expect(new Set((await Promise.all(readings)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});
