import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect as connectSocket, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { outputTo } from '../../../src/cli/output';
import { runCli } from '../../../src/cli/run';
import { UNREAD_AFTER_MS } from '../../../src/common/response/memory/response-memory';
import { api } from '../../support/app/api';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { connect, listing } from '../../support/customers/listings';
import { startServiceProcess, type ServiceProcess } from '../../support/processes/service-process';

jest.setTimeout(600_000);

/** The memory limit of the container in the deployment's manifests, in MiB. */
const CONTAINER_MB = 512;

/** What Node takes as the limit of its heap in a container of that size, in MiB. */
const HEAP_MB = 256;

/** Characters of the descriptions, which are changed this often. */
const DESCRIPTION = 225_000;
const CHANGES = 100;

/** What came of a request. */
interface Outcome {
  readonly status: number | 'cut';
  readonly bytes: number;
  readonly retryAfter: string | undefined;
}

describe('a process in the container of the manifests', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let contract: string;
  const keys: string[] = [];
  const [attacker, other] = [(): string => keys[0] ?? '', (): string => keys[1] ?? ''];
  const seen = { cuts: 0 };

  beforeAll(async () => {
    database = await migratedDatabase();
    service = await startServiceProcess(database.url, {
      logLevel: 'warn',
      env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` },
    });
    for (const name of ['Attacker', 'Another attacker', 'Bystander']) keys.push(await keyOf(name));
    for (const key of keys) {
      await connect(api(service.url, key), 'platform_a');
      await connect(api(service.url, key), 'platform_b');
    }
    [contract] = await Promise.all([changeOften(attacker()), enlargeContracts(other())]);
    await enlargeContracts(attacker());
  });
  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  async function keyOf(name: string): Promise<string> {
    const customer = await cli('customers', 'create', '--name', name);
    return (await cli('keys', 'issue', '--customer', customer.customer_id, '--mode', 'test')).api_key;
  }

  async function cli(...args: string[]): Promise<ReturnType<typeof JSON.parse>> {
    let [out, problem] = ['', ''];
    const output = outputTo(
      (text) => (out += text),
      (text) => (problem += text),
    );
    const code = await runCli(
      [...args, '--json'],
      { DATABASE_URL: database.url, LOG_LEVEL: 'silent' },
      output,
    );
    expect({ code, problem }).toEqual({ code: 0, problem: '' });
    return JSON.parse(out);
  }

  async function change(key: string, id: string, letter: string, length: number): Promise<void> {
    const { status, body } = await api(service.url, key).post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: id,
      entity_type: 'contract',
      data: { description: letter.repeat(length) },
    });
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
  }

  async function changeOften(key: string): Promise<string> {
    const [first] = await listing(api(service.url, key), 'platform_a', 'contract');
    if (first === undefined) throw new Error('There is no contract');
    for (let time = 0; time < CHANGES; time += 1)
      await change(key, first.id, String.fromCharCode(97 + (time % 26)), DESCRIPTION);
    return first.canonical_id;
  }

  async function enlargeContracts(key: string): Promise<void> {
    for (const { id } of await listing(api(service.url, key), 'platform_a', 'contract'))
      await change(key, id, 'c', 235_000);
  }

  /**
   * Asks on a connection of its own, and throws away what comes.
   *
   * @param pace bytes a second, when the client is slow
   * @param body of a POST
   */
  function ask(
    key: string,
    path: string,
    { pace, body }: { readonly pace?: number; readonly body?: unknown } = {},
  ): Promise<Outcome> {
    return new Promise((resolve) => {
      let bytes = 0;
      const asked = request(`${service.url}/api/v1${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        headers: {
          Authorization: `Bearer ${key}`,
          'Accept-Encoding': 'gzip',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
      });
      asked.once('response', (response) => {
        const end = (): void =>
          resolve({
            status: response.complete ? (response.statusCode ?? 0) : 'cut',
            bytes,
            retryAfter: response.headers['retry-after'],
          });
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (pace !== undefined) hold(response, (chunk.length / pace) * 1_000);
        });
        response.on('error', () => undefined); // Seen by the close that follows.
        response.once('close', end);
      });
      asked.once('error', () => resolve({ status: 'cut', bytes, retryAfter: undefined }));
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  function hold(response: IncomingMessage, milliseconds: number): void {
    response.pause();
    setTimeout(() => response.resume(), milliseconds);
  }

  /** What a bystander is answered meanwhile, one request after the other. */
  async function besides<Result>(
    work: Promise<Result>,
  ): Promise<{ result: Result; statuses: Set<Outcome['status']> }> {
    const ended = new AbortController();
    const statuses = new Set<Outcome['status']>();
    const bystander = (async () => {
      do {
        for (const path of [
          '/objects?platform=platform_a&entity_type=payment',
          '/objects?platform=platform_b&entity_type=contract&limit=500',
        ])
          statuses.add((await ask(keys[2] ?? '', path)).status);
        await sleep(20);
      } while (!ended.signal.aborted);
    })();
    const result = await work;
    ended.abort();
    await bystander;
    return { result, statuses };
  }

  /** The most memory that the process has had, in MiB; undefined where the system does not tell. */
  function peakMb(): number | undefined {
    try {
      const [, kb] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? [];
      return kb === undefined ? undefined : Number(kb) / 1024;
    } catch {
      return undefined;
    }
  }

  /** What the log says of answers that were cut off. */
  function cutLines(): readonly { readonly reason: string; readonly unread_ms: number }[] {
    return service.output
      .filter((line) => line.includes('An unread answer was cut off'))
      .map((line) => JSON.parse(line));
  }

  /**
   * However slow the machine is: an answer is cut off only where another customer waits, and its client has had it for a
   * while. Each has its line, which may come behind the end of the connection.
   */
  async function expectCauses(cuts: number): Promise<void> {
    seen.cuts += cuts;
    for (let look = 0; look < 100 && cutLines().length < seen.cuts; look += 1) await sleep(50);
    expect(cutLines().length).toBeGreaterThanOrEqual(seen.cuts);
    expect(cutLines().filter((line) => line.reason !== 'another_waits')).toEqual([]);
    expect(cutLines().filter((line) => line.unread_ms < UNREAD_AFTER_MS)).toEqual([]);
  }

  async function expectBounded(asked: Promise<readonly Outcome[]>): Promise<readonly Outcome[]> {
    const { result, statuses } = await besides(asked);
    const summary = result.map(({ status, retryAfter }) =>
      status === 502 ? `502, again after ${retryAfter}` : String(status),
    );
    const counts = new Map<string, number>();
    for (const one of summary) counts.set(one, (counts.get(one) ?? 0) + 1);
    const allowed = new Set<string>(['200', '502, again after 1', 'cut']);
    expect([...counts.keys()].filter((one) => !allowed.has(one))).toEqual([]);
    await expectCauses(counts.get('cut') ?? 0);
    expect(counts.get('200') ?? 0).toBeGreaterThan(0);
    expect([...statuses]).toEqual([200]);
    expect(peakMb() ?? 0).toBeLessThan(CONTAINER_MB);
    return result;
  }

  const times = <Result>(count: number, make: (place: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: count }, (_, place) => make(place)));

  it('answers pages of a long history of large changes', async () => {
    for (const [count, query] of [
      [8, '?limit=500'],
      [12, ''],
    ] as const) {
      const answers = await expectBounded(
        times(count, () => ask(attacker(), `/objects/${contract}/history${query}`)),
      );
      expect(Math.max(...answers.map(({ bytes }) => bytes))).toBeLessThan(6_000_000);
    }
  });

  it('gives all of that history, page by page', async () => {
    const client = api(service.url, attacker());
    let [changes, cursor] = [0, ''];
    do {
      const { status, body } = await client.get(`/objects/${contract}/history?limit=500${cursor}`);
      expect(status).toBe(200);
      expect(body.data.length).toBeGreaterThan(0);
      changes += body.data.filter(({ change: kind }: { change: string }) => kind === 'changed').length;
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(changes).toBeGreaterThanOrEqual(CHANGES);
  });

  it('answers listings of large records, whole, in pages, with those that are gone, and single reads of then', async () => {
    const contracts = '/objects?platform=platform_a&entity_type=contract';
    const now = encodeURIComponent(new Date().toISOString());
    const paths = [
      `${contracts}&limit=500`,
      contracts,
      `${contracts}&include_deleted=true`,
      `/objects/${contract}?as_of=${now}`,
    ];
    for (const path of paths) await expectBounded(times(60, () => ask(attacker(), path)));
    await expectBounded(
      times(60, (place) => ask(place % 2 === 0 ? attacker() : other(), paths[place % 3] ?? '')),
    );
  });

  it('answers clients that take their answers slowly', async () => {
    const contracts = '/objects?platform=platform_a&entity_type=contract';
    await expectBounded(
      times(40, (place) =>
        ask(place % 2 === 0 ? attacker() : other(), `${contracts}${place % 4 < 2 ? '&limit=500' : ''}`, {
          pace: 1_000_000,
        }),
      ),
    );
  });

  it('answers changes of large records, whose answers have them once for each platform', async () => {
    const contracts = await Promise.all(
      [attacker(), other()].map((key) => listing(api(service.url, key), 'platform_a', 'contract')),
    );
    const answers = await expectBounded(
      times(120, (place) =>
        ask(place % 2 === 0 ? attacker() : other(), '/propagate', {
          body: {
            format: 'platform',
            platform: 'platform_a',
            platform_id: contracts[place % 2]?.[place % 13]?.id,
            entity_type: 'contract',
            data: { description: 'd'.repeat(234_000) },
            dry_run: true,
          },
        }),
      ),
    );
    const largest = Math.max(...answers.map(({ bytes }) => bytes));
    expect(largest).toBeGreaterThan(3 * 234_000);
    expect(largest).toBeLessThan(3_000_000);
  });

  it('gives everything back when clients leave answers that wait behind others on one connection', async () => {
    const path = `/api/v1/objects?platform=platform_a&entity_type=contract&limit=500`;
    const line = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${attacker()}\r\n\r\n`;
    const { hostname, port } = new URL(service.url);
    const sockets = Array.from({ length: 8 }, (): Socket => {
      const socket = connectSocket(Number(port), hostname, () => socket.write(line.repeat(12)));
      return socket.pause().on('error', () => undefined); // The service may end it.
    });
    const { statuses } = await besides(sleep(2_000));
    for (const socket of sockets) socket.destroy();
    expect([...statuses]).toEqual([200]);
    // Of memory that is kept nobody of this customer would get any more.
    await expectBounded(times(4, () => ask(attacker(), `/objects/${contract}/history`)));
    expect(await ask(attacker(), path.slice('/api/v1'.length))).toMatchObject({ status: 200 });
  });
});
