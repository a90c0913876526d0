import { request, type ClientRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { connect } from '../../support/customers/listings';

jest.setTimeout(180_000);

/** What one caller may make the process grow by, in megabytes; the tests' own part is in it. */
const GROWTH_MB = 300;

const residentMb = (): number => process.memoryUsage().rss / 1024 / 1024;

describe('The memory of the service is bounded', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' });
  });
  afterAll(() => service.close());

  /** The most memory that is in use until the work has ended, beyond what is in use now. */
  async function growthDuring(work: Promise<unknown>): Promise<number> {
    const before = residentMb();
    let most = before;
    const clock = setInterval(() => (most = Math.max(most, residentMb())), 20);
    await work;
    clearInterval(clock);
    return most - before;
  }

  it('while one record is changed by a megabyte again and again', async () => {
    const client = api(service.url, (await service.openSession()).key);
    await connect(client, 'platform_a');
    const statuses = new Map<number, number>();
    let longestResponse = 0;
    const changes = async (): Promise<void> => {
      for (let index = 0; index < 56; index += 1) {
        // Some are too large by themselves, and the others together.
        const size = index % 2 === 0 ? 900_000 : 100_000;
        const { status, text } = await client.post('/propagate', {
          format: 'platform',
          platform: 'platform_a',
          platform_id: '1823456',
          entity_type: 'payment',
          data: { [`unknown_${index}`]: 'x'.repeat(size) },
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        longestResponse = Math.max(longestResponse, text.length);
      }
    };
    expect(await growthDuring(changes())).toBeLessThan(GROWTH_MB);
    expect(Object.fromEntries(statuses)).toEqual({ 200: 2, 422: 54 });
    expect(longestResponse).toBeLessThan(1_000_000);
  });

  it('while no client reads large answers', async () => {
    const { key } = await service.openSession();
    const line = '{"position":1,"description":"Piling","quantity":"1.0","amount":"1.00"}';
    // An answer of nearly 1 MB, which is the longest.
    const lines = Array.from({ length: 2500 }, () => line).join(',');
    const body = `{"source":"platform_a","target":"platform_b","entity_type":"contract","data":{"line_items":[${lines}]},"context":{"commitmentType":"WorkOrderContract"}}`;
    const unread: ClientRequest[] = [];
    let answered = 0;
    const ask = async (): Promise<void> => {
      for (let index = 0; index < 50; index += 1) {
        const asked = request(`${service.url}/api/v1/transform`, {
          method: 'POST',
          agent: false,
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        });
        asked.on('error', () => undefined); // Too many of them: the oldest are cut off.
        unread.push(asked);
        await new Promise<void>((resolve) => {
          asked.once('response', (response) => {
            response.pause().on('error', () => undefined);
            answered += 1;
            resolve();
          });
          asked.once('close', resolve);
          asked.end(body);
        });
      }
      await sleep(500);
    };
    const growth = await growthDuring(ask());
    for (const asked of unread) asked.destroy();
    expect(answered).toBe(50);
    expect(growth).toBeLessThan(GROWTH_MB);
  });
});
