import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';

// A body that trickles has ten seconds of grace.
jest.setTimeout(120_000);

const line = { position: 1, description: 'Piling', quantity: '1.0', amount: '1.00' };
const large = {
  source: 'platform_a',
  target: 'platform_b',
  entity_type: 'contract',
  data: { line_items: Array.from({ length: 2_000 }, () => line) },
  context: { commitmentType: 'WorkOrderContract' },
};

describe('large bodies', () => {
  let service: RunningApp;
  let attackers: Caller[];
  let bystander: Caller;
  let sockets: Trickle[];
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' });
    bystander = await service.openSession();
    attackers = [await service.openSession(), await service.openSession(), await service.openSession()];
  });
  beforeEach(() => (sockets = []));
  afterEach(() => {
    for (const { socket } of sockets) socket.destroy();
  });
  afterAll(() => service.close());

  /** What three customers send on eight connections each. */
  function attack(begin: (key: string) => string | Buffer, next: string | Buffer, everyMs: number): void {
    for (const { key } of attackers) {
      for (let count = 0; count < 8; count += 1) {
        sockets.push(new Trickle(service.url, begin(key), next, everyMs));
      }
    }
  }

  const head = (key: string, ...fields: string[]): string =>
    ['POST /api/v1/transform HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...fields]
      .concat(`Authorization: Bearer ${key}`, '', '')
      .join('\r\n');

  /** Sends each kind of large body; the statuses of the answers. */
  async function bodiesOf({ key }: Caller): Promise<number[]> {
    const client = api(service.url, key);
    const text = JSON.stringify(large);
    const answers = await Promise.all([
      client.post('/transform', large),
      client.post('/transform', gzipSync(text), { 'Content-Encoding': 'gzip' }),
      chunked(service.url, key, text),
    ]);
    return answers.map(({ status }) => status);
  }

  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const gzipped = gzipSync(JSON.stringify(large));
  const attacks: Record<
    string,
    [begin: (key: string) => string | Buffer, next: string | Buffer, everyMs: number]
  > = {
    'a chunk of one byte every 5 s': [
      (key) => head(key, 'Transfer-Encoding: chunked') + chunk('{'),
      chunk(' '),
      5_000,
    ],
    'a byte of a declared length every 5 s': [(key) => head(key, 'Content-Length: 900000'), ' ', 5_000],
    'a byte of gzip every 5 s': [
      (key) =>
        Buffer.concat([
          Buffer.from(head(key, 'Content-Encoding: gzip', `Content-Length: ${gzipped.length}`)),
          gzipped.subarray(0, 12),
        ]),
      '\0',
      5_000,
    ],
    'nearly all of a body, and then a kilobyte a second': [
      (key) => head(key, 'Content-Length: 1000000') + `{"x":"${'x'.repeat(900_000)}`,
      'x'.repeat(1_200),
      1_000,
    ],
    'nearly all of a body in one chunk, and then nothing': [
      (key) => head(key, 'Transfer-Encoding: chunked') + chunk(`{"x":"${'x'.repeat(1_000_000)}`),
      '',
      5_000,
    ],
  };

  it.each(Object.keys(attacks))('of others are taken while three customers send %s', async (name) => {
    const [begin, next, everyMs] = attacks[name] ?? [() => '', '', 0];
    attack(begin, next, everyMs);
    await sleep(500);
    const until = performance.now() + 5_000;
    const statuses: number[] = [];
    while (performance.now() < until) {
      statuses.push(...(await bodiesOf(bystander)));
      await sleep(200);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('that trickle are refused with 408, and their connections closed', async () => {
    const { key } = attackers[0] ?? bystander;
    const trickles = [
      new Trickle(service.url, head(key, 'Transfer-Encoding: chunked') + chunk('{'), chunk(' '), 1_000),
      new Trickle(service.url, head(key, 'Content-Length: 100'), ' ', 1_000),
      // The head of a gzip file, with a comment that goes on and on.
      new Trickle(
        service.url,
        Buffer.concat([
          Buffer.from(head(key, 'Content-Encoding: gzip', 'Content-Length: 100')),
          Buffer.from([0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 3]),
        ]),
        'c',
        1_000,
      ),
    ];
    sockets.push(...trickles);
    for (const trickle of trickles) {
      await trickle.closed;
      expect(trickle.received).toMatch(
        /^HTTP\/1\.1 4\d\d [^]*\r\nConnection: close\r\n[^]*VALIDATION_ERROR/i,
      );
      expect(trickle.received).toContain('HTTP/1.1 408 ');
    }
  });
});

/** A connection that sends something, and a little more from time to time. */
class Trickle {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  received = '';

  constructor(url: string, begin: string | Buffer, next: string | Buffer, everyMs: number) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname, () => this.socket.write(begin));
    const timer = setInterval(() => this.socket.write(next), everyMs);
    this.socket.on('data', (bytes) => (this.received += bytes.toString('latin1')));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        clearInterval(timer);
        resolve();
      });
    });
  }
}

function chunked(url: string, key: string, text: string): Promise<Response> {
  return fetch(`${url}/api/v1/transform`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    body: new Blob([text]).stream(),
    duplex: 'half',
  });
}
