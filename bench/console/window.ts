import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { findChromium, launchBrowser } from '../../test/support/console/browser';
import { startNode } from '../harness/children';

/** What a page has seen of itself since it began to load. */
export interface Seen {
  /** Milliseconds until the first row of a table was painted; 0 before. */
  readonly table: number;
  /** Sum of the layout shifts that no input of the person caused. */
  readonly shift: number;
}

/** A window of Chromium in which pages are measured. */
export interface Window {
  readonly browser: Browser;
  readonly page: Page;
  readonly devtools: CDPSession;
  readonly seen: () => Promise<Seen>;
}

/** Four times slower than this machine, behind 10 Mbit/s and 40 ms: a laptop of some years on the network of a site office. */
const SLOW = { cpu: 4, megabits: 10, latency: 40 };

const watch = `
  window.seen = { table: 0, shift: 0 };
  window.table = new Promise((resolve) => { window.tableIsThere = resolve; });
  const of = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  of('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) window.seen.shift += value; });
  const rows = new MutationObserver(() => {
    if (document.querySelector('main tbody tr') === null) return;
    rows.disconnect();
    requestAnimationFrame(() => { window.seen.table = performance.now(); window.tableIsThere(); });
  });
  rows.observe(document, { childList: true, subtree: true });`;

/**
 * Installs a Chromium if the machine has none. Only the figures of pages ask for one.
 *
 * @param folder for the log
 * @throws with the reason where none can be installed
 */
export async function ensureChromium(folder: string): Promise<void> {
  if (findChromium() !== undefined) return;
  const script = `import { ensureBrowser } from './scripts/browser.mjs';
    const reason = await ensureBrowser();
    if (reason !== undefined) throw new Error(reason);`;
  const output = join(folder, 'browser.log');
  await startNode(['--input-type=module', '--eval', script], { output }).ended();
}

/**
 * Works in a window, and closes it.
 *
 * @param demoKey the key that the page finds when it is loaded; without one the person is asked for it
 * @throws where there is no Chromium
 */
export async function inWindow<Result>(
  { demoKey, slow = false }: { readonly demoKey?: string; readonly slow?: boolean },
  work: (window: Window) => Promise<Result>,
): Promise<Result> {
  const chromium = findChromium();
  if (chromium === undefined) throw new Error('No Chromium was found; set CHROMIUM_PATH to one');
  const browser = await launchBrowser(chromium);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const devtools = await page.context().newCDPSession(page);
    await page.addInitScript(watch);
    if (demoKey !== undefined) {
      await page.addInitScript(`sessionStorage.setItem('console.demo-key', ${JSON.stringify(demoKey)})`);
    }
    if (slow) {
      const bytes = (SLOW.megabits * 1_000_000) / 8;
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW.cpu });
      await devtools.send('Network.enable');
      await devtools.send('Network.emulateNetworkConditions', {
        ...{ offline: false, latency: SLOW.latency },
        ...{ downloadThroughput: bytes, uploadThroughput: bytes },
      });
    }
    const seen = () => page.evaluate<Seen>('window.seen');
    return await work({ browser, page, devtools, seen });
  } finally {
    await browser.close();
  }
}

/** Gives a key to the entry, as a person does. */
export async function enter(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByLabel('API key').waitFor({ state: 'detached' });
}
