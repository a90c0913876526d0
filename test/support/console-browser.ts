import type { AxeResults, RunOptions } from 'axe-core';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium, launchBrowser } from './browser';

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** A browser for the tests of a file. Without one each of them fails and says why: a screen that nobody saw is not tested. */
export function withBrowser(): { readonly open: (url: string, options?: Opening) => Promise<ConsolePage> } {
  let browser: Browser | undefined;
  const opened: ConsolePage[] = [];
  beforeAll(async () => {
    const chromium = findChromium();
    if (chromium === undefined) {
      throw new Error('No Chromium was found. `npm test` tries to install one; or set CHROMIUM_PATH to one.');
    }
    browser = await launchBrowser(chromium);
  });
  // Whatever a test looked at, its page had no fault of these kinds.
  afterEach(async () => {
    for (const page of opened.splice(0)) {
      await page.context.close();
      expect({ problems: page.problems, elsewhere: page.elsewhere }).toEqual({ problems: [], elsewhere: [] });
    }
  });
  afterAll(() => browser?.close());
  return {
    open: async (url, options) => {
      if (browser === undefined) throw new Error('The browser is not open');
      const page = await openConsole(browser, url, options);
      opened.push(page);
      return page;
    },
  };
}

export interface Opening extends Pick<BrowserContextOptions, 'colorScheme' | 'viewport' | 'acceptDownloads'> {
  /** Whether the browser may report answers that refuse or do not come: Chromium writes an error for each. */
  readonly failures?: 'expected';
  /** The part of the address behind `/console`. */
  readonly at?: string;
}

/** A page of the console, and what it must not do. */
export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts, errors on the console, violations of the content security policy. */
  readonly problems: string[];
  /** Requests to another origin. */
  readonly elsewhere: string[];
  /** Requests so far, by method and path. */
  readonly requests: string[];
}

async function openConsole(
  browser: Browser,
  url: string,
  { failures, at = '', ...options }: Opening = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const problems: string[] = [];
  const elsewhere: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    if (failures === 'expected' && message.text().startsWith('Failed to load resource')) return;
    problems.push(message.text());
  });
  page.on('request', (request) => {
    const address = new URL(request.url());
    if (address.protocol === 'blob:') return; // Of a file that the page itself has made.
    if (address.origin !== new URL(url).origin) elsewhere.push(request.url());
    if (!address.pathname.includes('/icon-')) requests.push(`${request.method()} ${address.pathname}`);
  });
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
      console.error('Refused by the policy: ' + event.violatedDirective + ' ' + event.blockedURI));`,
  );
  await page.goto(`${url}/console${at}`);
  return { page, context, problems, elsewhere, requests };
}

/** Gives a key to the entry, as a person does. */
export async function enter(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Open the console' }).click();
}

/**
 * What axe finds against WCAG 2.2 AA, one line for each element: in the light scheme everything, in the dark one what depends on
 * colours. A script tag would be refused by the policy.
 */
export async function findingsInBothSchemes(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  await page.evaluate(axeSource);
  const light = await findings(page, { runOnly: { type: 'tag', values: tags } });
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await findings(page, { runOnly: { type: 'rule', values: ['color-contrast'] } });
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((finding) => `dark, ${finding}`)];
}

async function findings(page: Page, options: RunOptions): Promise<string[]> {
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** The name of the element that has the focus, as its text or label has it. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate(
    `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`,
  );
}
