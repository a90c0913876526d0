import { createServer } from 'node:net';
import { stringifyJson } from '@app/mapper';
import { connectionsAsJson, instructions } from './instructions';
import { connectionsTo, startSimulators, type RunningSimulators, type SimulatorsOptions } from './simulators';

describe('both simulators', () => {
  let running: RunningSimulators | undefined;
  const start = async (options: SimulatorsOptions = {}): Promise<RunningSimulators> =>
    (running = await startSimulators(options));
  afterEach(async () => {
    await running?.close();
    running = undefined;
  });

  it('hold the generated portfolio, written before now', async () => {
    const { platform_a, platform_b } = await start({ generated: { contracts: 60, seed: 7 } });
    const { control } = platform_a;
    const contracts = [
      ...control.records('work_order_contracts'),
      ...control.records('purchase_order_contracts'),
    ];
    expect(contracts.length).toBeGreaterThan(20);
    expect(platform_b.control.records('salesOrders').length).toBeGreaterThan(20);
    const written = contracts.map(({ updated_at }) =>
      Date.parse(stringifyJson(updated_at ?? null).slice(1, -1)),
    );
    expect(Math.max(...written)).toBeLessThanOrEqual(control.clock.now());
  });

  it('have one clock, as fast as asked for', async () => {
    const { platform_a, platform_b } = await start({ speed: 30 });
    expect(platform_a.control.clock.factor).toBe(30);
    expect(platform_b.control.clock).toBe(platform_a.control.clock);
  });

  it('leave nothing behind when the second cannot start', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    // The first three ports before the one that is taken may belong to others; either way it must fail, and end.
    await expect(startSimulators({ port: port - 3 })).rejects.toThrow(/EADDRINUSE|EACCES/);
    await new Promise((resolve) => taken.close(resolve));
  });

  it('are described for people and for programs, with the same credentials', async () => {
    const connections = connectionsTo(await start());
    expect(JSON.parse(connectionsAsJson(connections))).toEqual(connections);
    const text = instructions(connections);
    for (const { control_url, credentials } of Object.values(connections)) {
      expect(text).toContain(control_url);
      // Between single quotes of a shell.
      expect(text).toContain(`echo '${JSON.stringify(credentials)}' | `);
      expect(JSON.stringify(credentials)).not.toContain("'");
    }
  });
});
