import type { AxeResults, RunOptions } from 'axe-core';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Page, ViewportSize } from 'playwright-core';
import { findChromium, launchBrowser } from './browser';

const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * A browser for the tests of a file. Without one each of them fails and says why: a screen that nobody saw is not tested. A page
 * that a test has left is loaded again for the next one: Chromium takes longer to make a window than to load the console.
 */
export function withBrowser(): { readonly open: (url: string, options?: Opening) => Promise<ConsolePage> } {
  let browser: Browser | undefined;
  const opened: OpenPage[] = [];
  const resting: OpenPage[] = [];
  beforeAll(async () => {
    const chromium = findChromium();
    if (chromium === undefined) {
      throw new Error('No Chromium was found. `npm test` tries to install one; or set CHROMIUM_PATH to one.');
    }
    browser = await launchBrowser(chromium);
  });
  // Whatever a test looked at, its page had no fault of these kinds.
  afterEach(async () => {
    for (const { shown, own } of opened.splice(0)) {
      const { problems, elsewhere } = shown;
      const faults = { problems: [...problems], elsewhere: [...elsewhere] };
      // A call that a test holds, or has sent itself, would fail with the page.
      if (!shown.page.isClosed()) await shown.page.unrouteAll({ behavior: 'ignoreErrors' });
      if (own || !(await rest(shown))) await shown.context.close();
      else resting.push({ shown, own });
      expect(faults).toEqual({ problems: [], elsewhere: [] });
    }
  });
  afterAll(() => browser?.close());
  return {
    open: async (url, { own = false, key, ...options } = {}) => {
      if (browser === undefined) throw new Error('The browser is not open');
      const page = own ? undefined : resting.pop();
      const shown = page?.shown ?? (await newPage(browser));
      opened.push({ shown, own });
      await show(shown, url, options, key);
      return shown;
    },
  };
}

export interface Opening {
  readonly viewport?: ViewportSize;
  /** Whether the browser may report answers that refuse or do not come: Chromium writes an error for each. */
  readonly failures?: 'expected';
  /** The part of the address behind `/console`. */
  readonly at?: string;
  /** The key of a session that goes on; without it the page asks for one. */
  readonly key?: string;
  /** What is done to the page before it loads: answers that it is to meet. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Whether the page is for this test alone, such as one that stops the clock or counts what a first visit loads. */
  readonly own?: boolean;
}

interface OpenPage {
  readonly shown: ShownPage;
  readonly own: boolean;
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

interface ShownPage extends ConsolePage {
  /** The service whose console it shows. */
  url: string;
  failures: Opening['failures'];
}

async function newPage(browser: Browser): Promise<ShownPage> {
  const context = await browser.newContext({ viewport: USUAL });
  const page = await context.newPage();
  // Both settings are of the campaign `flakiness`: how many times slower scripts run, and the most that an answer takes.
  const slowness = Number(process.env['SLOW_BROWSER'] ?? 1);
  const slowestResponse = Number(process.env['SLOW_ANSWERS'] ?? 0);
  // A screen may need the answers of several calls, one after the other.
  page.setDefaultTimeout(15_000 * slowness + 5 * slowestResponse);
  const shown: ShownPage = {
    ...{ page, context, problems: [], elsewhere: [], requests: [] },
    ...{ url: '', failures: undefined },
  };
  const { problems, elsewhere, requests } = shown;
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    if (shown.failures === 'expected' && message.text().startsWith('Failed to load resource')) return;
    problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const address = new URL(request.url());
    if (address.protocol === 'blob:') return; // Of a file that the page itself has made.
    if (address.origin !== new URL(shown.url).origin) elsewhere.push(request.url());
    if (!address.pathname.includes('/icon-')) requests.push(`${request.method()} ${address.pathname}`);
  });
  if (slowestResponse > 0) {
    await context.route(/\/api\/v1\//, async (route) => {
      await sleep(Math.random() * slowestResponse);
      await route.fallback().catch(() => undefined); // The page may have gone meanwhile.
    });
  }
  if (slowness > 1) {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowness });
  }
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) =>
      console.error('Refused by the policy: ' + event.violatedDirective + ' ' + event.blockedURI));`,
  );
  return shown;
}

const USUAL: ViewportSize = { width: 1280, height: 900 };

/** Loads the console, as in a new window: nothing of what the page showed before is left. */
async function show(
  shown: ShownPage,
  url: string,
  { failures, at = '', viewport = USUAL, before }: Omit<Opening, 'own' | 'key'>,
  key: string | undefined,
): Promise<void> {
  const { page } = shown;
  const stays = shown.url === url;
  Object.assign(shown, { url, failures });
  const size = page.viewportSize();
  // A window with bars takes its time to be resized.
  if (size?.width !== viewport.width || size.height !== viewport.height) await page.setViewportSize(viewport);
  if (stays) await page.evaluate(`history.replaceState(null, '', ${JSON.stringify(`console${at}`)})`);
  for (const faults of [shown.problems, shown.elsewhere, shown.requests]) faults.length = 0;
  await before?.(page);
  if (stays && key !== undefined) return reloadWith(page, key);
  if (stays) await page.reload();
  else await page.goto(`${url}/console${at}`);
  if (key !== undefined) await enter(page, key);
}

/** Takes back what a test did to its page. False if the page can no longer be used. */
async function rest({ page, context }: ShownPage): Promise<boolean> {
  if (page.isClosed() || context.pages().length > 1) return false;
  await Promise.all([
    page.emulateMedia({ media: null, colorScheme: 'light' }),
    context.clearPermissions(),
    page.evaluate('sessionStorage.clear()'),
  ]);
  return true;
}

/** Gives a key to the entry, as a person does. */
export async function enter(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Open the console' }).click();
}

/** Loads the page anew with a key: as after a reload with that of a demo session, which the tab keeps; others are given to the entry. */
export async function reloadWith(page: Page, key: string): Promise<void> {
  const isKept = key.startsWith('sk_demo_');
  const keep = `sessionStorage.setItem('console.demo-key', ${JSON.stringify(key)})`;
  await page.evaluate(isKept ? keep : 'sessionStorage.clear()');
  await page.reload();
  if (!isKept) await enter(page, key);
}

/**
 * What axe finds against WCAG 2.2 AA, one line for each element: in the light scheme everything, in the dark one what depends on
 * colours. A script tag would be refused by the policy.
 */
export async function findingsInBothSchemes(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axeSource);
  const light = await findings(page, EVERYTHING);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await findings(page, CONTRAST);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((finding) => `dark, ${finding}`)];
}

const EVERYTHING: RunOptions = {
  runOnly: {
    type: 'tag',
    values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  },
};

const CONTRAST: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast'] } };

/** Marks the texts whose contrast is looked at. */
const LOOKED_AT = 'data-contrast';

/**
 * Texts to look at for their contrast: the first and the last of those with the same letters, colour and grounds behind them. What
 * is true of them is true of those between, and a table has hundreds.
 */
const MARK_EACH_COLOUR = `(() => {
  const grounds = new Map([[null, '']]);
  const groundsOf = (element) => {
    if (!grounds.has(element)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      grounds.set(element, [groundsOf(element.parentElement), backgroundColor, backgroundImage, opacity].join());
    }
    return grounds.get(element);
  };
  const alike = new Map();
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
    if (!hasText && !element.matches('input, select, textarea')) continue;
    if (element.getClientRects().length === 0) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const key = [element.matches('input, select, textarea'), color, fontSize, fontWeight, groundsOf(element)].join();
    alike.set(key, [...(alike.get(key) ?? []).slice(0, 1), element]);
  }
  for (const one of [...alike.values()].flat()) one.setAttribute('${LOOKED_AT}', '');
})()`;
const UNMARK = `document.querySelectorAll('[${LOOKED_AT}]').forEach((one) => one.removeAttribute('${LOOKED_AT}'))`;

/** What is half faded in has a contrast of its own for an instant, which is nothing to hold it to. */
const END_ANIMATIONS = `document.getAnimations().forEach((animation) => animation.finish())`;

/** A run of axe over the page, in which the contrast is that of the texts that are marked for it. */
async function findings(page: Page, options: RunOptions): Promise<string[]> {
  // There are no frames and no media, and no rule that runs reads style sheets: axe need not load them. Nobody reads its selectors.
  const lean = { iframes: false, preload: false, selectors: false, xpath: false, ancestry: false };
  const all = { ...options, ...lean, resultTypes: ['violations'] };
  const violations = await page.evaluate<AxeResults['violations']>(
    `${END_ANIMATIONS};
    ${MARK_EACH_COLOUR};
    axe.configure({ rules: [{ id: 'color-contrast', selector: '[${LOOKED_AT}]' }] });
    axe.run(document, ${JSON.stringify(all)}).finally(() => ${UNMARK}).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

const FOCUSED_NAME = `(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '').trim()`;

/** The name of the element that has the focus, as its text or label has it. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate(FOCUSED_NAME);
}

/**
 * Asserts that an element of this name has the focus, or gets it within moments: after the focused element is gone, the
 * browser and the console take several turns of their loop to move it.
 */
export async function expectFocusOn(page: Page, name: string): Promise<void> {
  const hasFocus = `${FOCUSED_NAME} === ${JSON.stringify(name)}`;
  // Where it does not get it in time, the name of what has it says more.
  await page.waitForFunction(hasFocus, undefined, { polling: 50 }).catch(() => undefined);
  expect(await focusedName(page)).toBe(name);
}
