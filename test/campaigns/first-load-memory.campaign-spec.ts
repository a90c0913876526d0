// Platforms of about 1,000 and 20,000 records are read for the first time over HTTP: the memory hardly depends on their size.
import { stringifyJson, type JsonObject } from '@app/mapper';
import { connectionsTo, startSimulators, type RunningSimulators } from '@app/simulators';
import { setTimeout as sleep } from 'node:timers/promises';
import { peakMemoryOf } from '../../bench/harness/cpu';
import { LiveConnectionsModule } from '../../src/connections/live-connections.module';
import { LiveConnectionsService } from '../../src/connections/live-connections.service';
import { api } from '../support/app/api';
import { startApp } from '../support/app/app';
import { campaign } from '../support/campaign/campaign';
import { startServiceProcess } from '../support/processes/service-process';
import { keysSetting, masterKey } from '../e2e/credentials/master-keys';

/**
 * Bytes of memory that a large first load may need beyond a small one. `bench/live/memory.ts` measures it with 100,000
 * records.
 */
const MOST_GROWTH = 100 * 1_000_000;

/**
 * Contracts for about 1,000 and 20,000 records. platform_a needs a call for every other record, which takes too long
 * here.
 */
const FEW = 320;
const MANY = 6_400;
const platform = 'platform_b';

campaign('first-load-memory', (campaign) => {
  const key = masterKey('first');

  /** The peak memory of a new service after a first load of this number of contracts. */
  async function peakAfter(contracts: number): Promise<number | undefined> {
    const simulators: RunningSimulators = await startSimulators({
      generated: { contracts, seed: campaign.seed },
      switches: { platform_a: {}, platform_b: { requestsPerWindow: 1_000_000 } },
    });
    const operator = await startApp({ credentialsKeys: [key], syncIntervalMs: 0 }, [LiveConnectionsModule]);
    const service = await startServiceProcess(operator.databaseUrl, {
      main: 'run-unlimited-service.ts',
      env: { CREDENTIALS_KEYS: keysSetting(key), SYNC_INTERVAL: '0' },
    });
    try {
      const caller = await operator.issueKey('live');
      const credentials: JsonObject = connectionsTo(simulators)[platform].credentials;
      await operator.app
        .get(LiveConnectionsService, { strict: false })
        .set(caller.customerId, platform, stringifyJson(credentials));
      const client = api(service.url, caller.key);
      for (let status = 0; status !== 200; await sleep(100)) {
        ({ status } = await client.post('/connect', { platform }));
        expect([200, 202]).toContain(status);
      }
      return peakMemoryOf(service.pid);
    } finally {
      await service.kill();
      await operator.close();
      await simulators.close();
    }
  }

  campaign.part('take as much memory for many records as for few', async () => {
    const few = await peakAfter(FEW);
    const many = await peakAfter(MANY);
    // Only Linux reports the peak memory of a process.
    if (few === undefined || many === undefined) {
      expect(process.platform).not.toBe('linux');
      return;
    }
    campaign.count('MB for few', few / 1_000_000);
    campaign.count('MB for many', many / 1_000_000);
    expect(many - few).toBeLessThan(MOST_GROWTH);
  });
});
