import { show } from '../../test/support/console/console-page';
import { longestTask } from '../console/longest-task';
import { ensureChromium, enter, inWindow, type Seen } from '../console/window';
import type { Bench, Figure, Measurement } from '../harness/figure';
import { measureWithin } from '../harness/limited';
import { countsFor } from '../portfolio/counts';
import { fillSandboxes } from '../portfolio/sandbox';
import { connectPlatform } from '../service/connect';
import { makeCustomer } from '../service/customer';
import { recordsIn } from '../service/population';
import { startService } from '../service/service';
import { BenchClient } from '../statement/client';
import { untilCompared } from '../statement/steps';

const RECORDS = 1_000;
const PLATFORMS = ['platform_a', 'platform_b'] as const;

/**
 * P13: what a person waits for at the console, as a share of its limit. First tables are those of the statement over the sample
 * records, from an empty cache, with a demo key that the tab still has.
 */
export const consoleOfPeople: Figure = {
  ids: ['P13'],
  title: 'the console: first table, longest task, moved layout',
  run: measure,
};

async function measure(bench: Bench): Promise<readonly Measurement[]> {
  await ensureChromium(bench.folder);
  const database = await bench.databases.create('bench_p13');
  const service = await startService(database.url, { folder: bench.folder, name: 'p13' });
  try {
    const demoKey = await demoSession(service.url);
    const customer = await makeCustomer(database, 'Console');
    const counts = countsFor(RECORDS);
    await fillSandboxes(database, customer.id, { counts, disagreeing: true });
    for (const platform of PLATFORMS) {
      await connectPlatform(service, customer, platform, recordsIn(platform, counts));
    }
    await untilCompared(new BenchClient(service.url, customer.key));
    const row = async (
      name: string,
      ours: string,
      [limit, unit]: readonly [number, string],
      once: () => Promise<number>,
    ): Promise<Measurement> => ({
      ...{ name: `P13 ${name}`, ours, unit, floor: 'its limit', comparison: 'multiple', mark: { atMost: 1 } },
      ...(await measureWithin(bench, bench.progress.named(`P13 ${name}`), limit, once)),
    });
    const first = (slow: boolean) => firstTable(service.url, demoKey, slow);
    return [
      await row('loopback', 'the first table', [0.5, 's'], async () => (await first(false)).table / 1000),
      await row(
        'slow',
        'the first table, CPU four times slower, 10 Mbit/s and 40 ms',
        [1.8, 's'],
        async () => (await first(true)).table / 1000,
      ),
      await row(
        'shift',
        'layout shift of the statement',
        [0.02, 'CLS'],
        async () => (await first(false)).shift,
      ),
      await row('task', 'CPU of the longest task, 100 cases', [100, 'ms'], () =>
        cases(service.url, customer.key),
      ),
    ];
  } finally {
    await service.stop();
    await database.drop();
  }
}

/** A demo session whose platforms are read and compared. */
async function demoSession(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/demo/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
  });
  if (!answer.ok) throw new Error(`POST /demo/session: ${answer.status} ${await answer.text()}`);
  const { data } = (await answer.json()) as { readonly data: { readonly api_key: string } }; // As the API describes it.
  const client = new BenchClient(url, data.api_key);
  for (const platform of PLATFORMS) await client.ask('/connect', { method: 'POST', body: { platform } });
  await untilCompared(client);
  return data.api_key;
}

function firstTable(url: string, demoKey: string, slow: boolean): Promise<Seen> {
  return inWindow({ demoKey, slow }, async ({ page, devtools, seen }) => {
    await page.goto('about:blank');
    await devtools.send('Network.clearBrowserCache');
    await page.goto(`${url}/console`);
    // Looking for a text at each frame would slow down what is measured.
    await page.evaluate('window.table');
    await page.getByText('1 USD = 3.64 QAR').waitFor();
    await page.getByText(/^36 records/).waitFor();
    await page.waitForTimeout(500); // What moves later counts as well.
    return seen();
  });
}

/** From the key to a hundred cases, one page further, and back to the statement. */
function cases(url: string, key: string): Promise<number> {
  return inWindow({}, async ({ browser, page }) => {
    await page.goto(`${url}/console#/cases`);
    await page.getByLabel('API key').waitFor();
    // A look for a text on the whole page would be a long task of its own.
    const rows = async (words: string): Promise<void> => {
      const isThere = `document.querySelector('main nav [role=status]')?.textContent.startsWith('${words} of ')
        && document.querySelector('main .outdated') === null`;
      while (!(await page.evaluate<boolean>(isThere))) await page.waitForTimeout(20);
    };
    return longestTask(browser, page, async () => {
      await enter(page, key);
      await rows('1–100');
      await page.locator('main nav button', { hasText: 'Next' }).click();
      await rows('101–200');
      await show(page, '/');
    });
  });
}
