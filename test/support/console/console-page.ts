import type { Page, Request, Route } from 'playwright-core';
import { reloadWith } from './console-browser';
import { latch } from '../this-process/latch';

/** Shows another screen of an open console, and waits until the screen has loaded its data. */
export async function show(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const before = location.hash;
    const drawn = () => requestAnimationFrame(() => requestAnimationFrame(resolve)); // Then the screen before is gone.
    location.hash = ${JSON.stringify(path)};
    if (location.hash === before) drawn();
    else addEventListener('hashchange', drawn, { once: true });
  })`);
  await isRead(page);
}

/** Waits until a screen has loaded its data, also again where it showed what it had before. */
export async function isRead(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main [aria-busy="true"], main .skeleton').first().waitFor({ state: 'detached' });
}

/**
 * Holds API calls back until the test releases them. Calls for files pass.
 *
 * @param path of the calls
 * @param goOn what happens to each call on its release
 * @returns releases the calls, and resolves when the page has the answer of one of them
 */
export async function holdBack(
  page: Page,
  path: string,
  goOn: (route: Route) => Promise<void> = (route) => route.continue(),
): Promise<() => Promise<void>> {
  const { opened: released, open: release } = latch();
  const isIt = (url: URL): boolean => url.pathname === path;
  await page.route(isIt, async (route) => {
    if (route.request().headers()['accept'] === 'text/csv') return route.continue();
    await released;
    await goOn(route);
  });
  return async () => {
    const answer = page.waitForResponse((response) => isIt(new URL(response.url())));
    release();
    await (await answer).finished();
  };
}

/**
 * Returns to a page after a while, as a person does who comes back from another tab: the page reads stale data again.
 * From then on the clock of the page goes on by itself, and where the test puts it.
 */
export async function comeBack(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.fastForward(20_000);
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
}

/** Lets a page that looks again and again, every few seconds, do so after a moment. For a page of the test's own, before it loads. */
export function lookOften(page: Page): Promise<unknown> {
  return page.addInitScript(`
    const each = setInterval;
    globalThis.setInterval = (act, after) => each(act, Math.min(after, 200));`);
}

/** The size of a screen. */
export interface Weight {
  /** The number of elements of the page. */
  readonly nodes: number;
  /** Bytes of the API answers that the screen loaded, before compression. */
  readonly bytes: number;
}

/**
 * Measures the screens of a page. Each screen is loaded in isolation: the page would read the data of an earlier
 * screen again only if they are stale, so a slow machine would read more.
 */
export class Scales {
  private readonly underWay = new Set<Request>();
  private last = 0;

  /**
   * @param quiet milliseconds without a call after which the screen counts as loaded: what a screen shows may cause
   * further calls
   */
  constructor(
    private readonly page: Page,
    private readonly key: string,
    private readonly quiet = 0,
  ) {
    const ended = (request: Request): void => {
      this.underWay.delete(request);
      this.last = performance.now();
    };
    page.on('request', (request) => this.underWay.add(request));
    page.on('requestfinished', ended);
    page.on('requestfailed', ended);
  }

  /**
   * @param isShown resolves when the screen shows everything; the measurement also waits until the screen has made all
   * calls
   */
  async weigh(path: string, isShown: () => Promise<unknown> = () => Promise.resolve()): Promise<Weight> {
    await this.settled();
    await this.page.evaluate(`history.replaceState(null, '', ${JSON.stringify(`console#${path}`)})`);
    await reloadWith(this.page, this.key);
    await isRead(this.page);
    await isShown();
    await this.settled();
    return this.page.evaluate<Weight>(`({
      nodes: document.querySelectorAll('*').length,
      bytes: performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/'))
        .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0),
    })`);
  }

  /** Waits until no call of the page is in progress. */
  private async settled(): Promise<void> {
    while (this.underWay.size > 0 || performance.now() - this.last < this.quiet) {
      await this.page.waitForTimeout(20);
    }
  }
}
