import { randomBytes } from 'node:crypto';
import { connectionsTo, startSimulators, type RunningSimulators } from '@app/simulators';
import { quick, walkLive } from '../../examples/live';
import { readEnvironment } from '../../src/runtime/config/environment';
import { keptCommandsOn } from '../e2e/cli/run-command';
import { startApp, type RunningApp } from '../support/app/app';

jest.setTimeout(120_000);

const CREDENTIALS_KEYS = `test:${randomBytes(32).toString('base64')}`;

describe('the walk through a live customer', () => {
  let service: RunningApp;
  let simulators: RunningSimulators;
  beforeAll(async () => {
    simulators = await startSimulators({ switches: quick });
    const { credentialsKeys, syncIntervalMs } = readEnvironment({ CREDENTIALS_KEYS, SYNC_INTERVAL: '0' });
    service = await startApp({ credentialsKeys, syncIntervalMs });
  });
  const { piped } = keptCommandsOn(() => service.databaseUrl, { CREDENTIALS_KEYS });
  afterAll(async () => {
    await service.close();
    await simulators.close();
  });

  it('gets the results that it prints', async () => {
    const lines: string[] = [];
    await walkLive({
      baseUrl: service.url,
      simulators: connectionsTo(simulators),
      operate: async (args, input = '') => {
        const { code, out } = await piped(input, ...args);
        expect({ args, code }).toEqual({ args, code: 0 });
        return out;
      },
      print: (line) => lines.push(line),
    });
    expect(lines).toEqual([
      'Stored the credentials for platform_a; the next connect reads the platform itself',
      'Stored the credentials for platform_b; the next connect reads the platform itself',
      'platform_a: live, 8 payments, 13 contracts',
      'platform_b: live, 8 payments, 10 contracts',
      'platform_a is active: 38 records, complete',
      'platform_b is active: 36 records, complete',
      'platform_a has amount "1700000.00", notes "Substructure progress payment #1"',
      // In riyals, the company's own currency, which goes without a code.
      'platform_b has amount -6188000, currencyCode "", comment "Substructure progress payment #1"',
      'changed amount, notes: platform_a applied; platform_b applied',
      'platform_a has amount "850000.00", notes "Retention agreed on site"',
      'platform_b has amount -3094000, currencyCode "", comment "Retention agreed on site"',
      'the project is now "Renamed by a person"',
      expect.stringMatching(
        /^changed notes: platform_a rejected \(.*synced with an ERP system.*\); platform_b skipped \(.+\)$/,
      ),
      'Removed the live connection to platform_a, 38 records and 0 waiting changes',
      'Removed the live connection to platform_b, 36 records and 0 waiting changes',
    ]);
    expect([...simulators.platform_a.control.defects, ...simulators.platform_b.control.defects]).toEqual([]);
  });
});
