import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../support/app/api';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { startServiceProcess, type ServiceProcess } from '../../support/processes/service-process';

jest.setTimeout(180_000);

/** Connections on which one customer sends record after record. */
const FLOOD = 300;

/** For how long, in milliseconds. */
const FLOOD_MS = 3_000;

/**
 * How much sooner others are served: where nobody divides the loop's time, all wait alike. A listing takes some turns of the
 * loop of 10 ms each, however fast records are translated.
 */
const SOONER = 3;

describe('While one customer translates records without end', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  beforeAll(async () => {
    database = await migratedDatabase();
    service = await startServiceProcess(database.url);
  });
  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  const record = JSON.stringify({
    source: 'platform_a',
    target: 'platform_b',
    entity_type: 'contract',
    context: { commitmentType: 'WorkOrderContract' },
    data: {
      id: 1,
      number: 'C-1',
      line_items: Array.from({ length: 200 }, (_, index) => ({
        id: index + 1,
        position: index + 1,
        description: 'Concrete',
        amount: '10.25',
        quantity: '1.0',
        uom: 'm3',
      })),
    },
  });

  async function newKey(): Promise<string> {
    return (await api(service.url).post('/demo/session')).body.data.api_key;
  }

  /** Its status. The answer is not looked at: that would take the time of the clocks that run here. */
  function translate(key: string, agent: Agent): Promise<number> {
    return new Promise((resolve, reject) => {
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(record),
      };
      request(`${service.url}/api/v1/transform`, { method: 'POST', headers, agent }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      })
        .once('error', reject)
        .end(record);
    });
  }

  /** Asks again and again until the flood is over. */
  async function meanwhile(
    flood: Promise<unknown>,
    ask: () => Promise<{ status: number }>,
  ): Promise<{ took: number[]; statuses: Set<number> }> {
    const state = { over: false };
    const end = flood.finally(() => (state.over = true));
    const statuses = new Set<number>();
    const took: number[] = [];
    do {
      const began = performance.now();
      statuses.add((await ask()).status);
      took.push(performance.now() - began);
      await sleep(10);
    } while (!state.over);
    await end;
    return { took, statuses };
  }

  it('others are served, and the probes', async () => {
    const flooding = await newKey();
    const other = api(service.url, await newKey());
    const agent = new Agent({ keepAlive: true, maxSockets: FLOOD });
    await translate(flooding, agent); // A cold process is slower than it will ever be again.
    const end = performance.now() + FLOOD_MS;
    const statuses = new Map<number, number>();
    const waited: number[] = [];
    const sendOn = async (): Promise<void> => {
      while (performance.now() < end) {
        const began = performance.now();
        const status = await translate(flooding, agent);
        waited.push(performance.now() - began);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const flood = Promise.all(Array.from({ length: FLOOD }, sendOn));
    const [objects, probes] = await Promise.all([
      meanwhile(flood, () => other.get('/objects?platform=platform_a&entity_type=payment')),
      meanwhile(flood, () => fetch(`${service.url}/livez`)),
    ]);
    expect(objects.statuses).toEqual(new Set([200]));
    expect(SOONER * median(objects.took)).toBeLessThan(median(waited));
    expect(probes.statuses).toEqual(new Set([200]));
    expect(SOONER * median(probes.took)).toBeLessThan(median(waited));
    // What is not refused for want of time is translated, and most of it is.
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 502)).toEqual([]);
    expect(statuses.get(200) ?? 0).toBeGreaterThan(statuses.get(502) ?? 0);
  });
});

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
