import type { RunningApp } from '../support/app/app';
import { startConsole } from '../support/console/console-app';
import {
  enter,
  expectFocusOn,
  findingsInBothSchemes,
  focusedName,
  withBrowser,
} from '../support/console/console-browser';
import { show } from '../support/console/console-page';
import { addressOf, makeBooks, screens, type Books } from '../support/console/console-screens';

jest.setTimeout(120_000);

const browser = withBrowser();
let app: RunningApp;
let books: Books;
beforeAll(async () => {
  app = await startConsole();
  books = await makeBooks(app);
});
afterAll(() => app.close());

const refused = {
  status: 409,
  json: {
    error: { type: 'CONFLICT_ERROR', message: 'Something else is under way', request_id: 'req_12345678' },
  },
};

/** Screens by what they show when there is nothing: that, or that there is no such thing. */
const ofThings = Object.entries(screens).filter(([, { refuses }]) => refuses);
const others = Object.entries(screens).filter(([, { refuses }]) => !refuses);

describe('axe', () => {
  it('finds nothing at the entry, as it opens and with a problem', async () => {
    const { page } = await browser.open(app.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await enter(page, 'wrong');
    await page.getByText(/^A key begins with/).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  // One after the other on one page: to load the console anew takes longer than to look at a screen.
  it('finds nothing on a screen that is filled, which has no scroll of the page at 320 pixels', async () => {
    const { page } = await browser.open(app.url, { key: books.filled });
    const findings = async (name: string): Promise<void> =>
      expect({ name, findings: await findingsInBothSchemes(page) }).toEqual({ name, findings: [] });
    const fits = async (name: string): Promise<void> => {
      expect(await page.evaluate('innerWidth')).toBe(320);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect({ name, width: Math.max(width, 320) }).toEqual({ name, width: 320 });
      const small = await page.evaluate<string[]>(
        `[...document.querySelectorAll('button, select, input, nav a')].filter((one) => {
        const { width, height } = one.getBoundingClientRect();
        return width > 0 && (width < 24 || height < 24);
      }).map((one) => one.outerHTML)`,
      );
      expect({ name, small }).toEqual({ name, small: [] });
      // A table scrolls: no name in it has to stand a few letters a line.
      const squeezed = await page.evaluate<string[]>(
        `[...document.querySelectorAll(':is(th, td) :is(.name, .text)')].filter((one) => {
        const { width, height } = one.getBoundingClientRect();
        return width < 64 && height > 48;
      }).map(({ textContent }) => textContent)`,
      );
      expect({ name, squeezed }).toEqual({ name, squeezed: [] });
    };
    // A screen opens in the window that the one before left: to resize it takes its time.
    let windows = [
      { size: { width: 1280, height: 900 }, look: findings },
      { size: { width: 320, height: 640 }, look: fits },
    ];
    for (const [name, screen] of Object.entries(screens)) {
      await show(page, addressOf(screen, books));
      await screen.filled(page);
      for (const { size, look } of windows) {
        if (page.viewportSize()?.width !== size.width) await page.setViewportSize(size);
        await look(name);
      }
      windows = windows.toReversed();
    }
  });

  it.each([
    ['that is empty', others, undefined],
    ['of what is not there', ofThings, 'expected'],
  ] as const)('finds nothing on a screen %s', async (_state, chosen, failures) => {
    expect(chosen.length).toBeGreaterThan(0);
    const { page } = await browser.open(app.url, { key: books.empty, ...(failures && { failures }) });
    for (const [name, screen] of chosen) {
      await show(page, addressOf(screen, books));
      await screen.empty(page);
      expect({ name, findings: await findingsInBothSchemes(page) }).toEqual({ name, findings: [] });
    }
  });

  it('finds nothing on a screen with an error, and the drawer open', async () => {
    const { page } = await browser.open(app.url, { at: '#/none', key: books.filled, failures: 'expected' });
    await page.getByRole('button', { name: 'Requests' }).click();
    for (const [name, screen] of Object.entries(screens)) {
      await page.route(screen.fails, (route) => route.fulfill(refused));
      await show(page, addressOf(screen, books));
      await screen.fail?.(page);
      await page.getByText('Something else is under way').waitFor();
      await page.getByRole('region', { name: 'Calls of this tab' }).waitFor();
      expect({ name, findings: await findingsInBothSchemes(page) }).toEqual({ name, findings: [] });
      await page.unroute(screen.fails);
    }
  });

  it('finds nothing in a dialog, which keeps the focus and gives it back', async () => {
    const { page } = await browser.open(app.url, { key: books.empty });
    await page.getByRole('button', { name: 'End demo' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'End the demo session?' }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    for (let steps = 0; steps < 4; steps += 1) {
      await page.keyboard.press('Tab');
      // Behind the last control the focus leaves the page for the browser itself, never for what is under the dialog.
      expect(await page.evaluate('document.activeElement.closest("dialog, body").tagName')).toMatch(
        /^(DIALOG|BODY)$/,
      );
    }
    await page.keyboard.press('Escape');
    await page.waitForFunction('document.activeElement.textContent === "End demo"');
  });
});

describe('the keyboard', () => {
  it('is at the heading after a form has shown something else, and where it was before the drawer', async () => {
    // The contract was not there yet at the time that the form asks for.
    const { page } = await browser.open(app.url, { key: books.filled, failures: 'expected' });
    for (const path of ['/', '/cases', `/objects/${books.contract}`, '/decisions', '/signoffs', '/changes']) {
      await show(page, path);
      const form = page.locator('form.scope');
      if (path.startsWith('/objects')) await form.getByLabel('As of the end of').fill('2026-01-01');
      else await form.locator('select').first().selectOption({ index: 1 });
      await form.getByRole('button', { name: 'Show' }).focus();
      await page.keyboard.press('Enter');
      await page.waitForFunction(`location.hash !== '#${path}'`);
      await page.locator('h1:focus').waitFor();
    }

    await page.getByRole('button', { name: 'Requests' }).click();
    await page.getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Enter');
    await expectFocusOn(page, 'Requests');

    await show(page, '/cases');
    await page
      .getByRole('checkbox', { name: /^Choose/ })
      .first()
      .check();
    await page.getByRole('button', { name: 'Choose none' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('1 chosen').waitFor({ state: 'detached' });
    await expectFocusOn(page, 'Cases');
  });

  it('stays at a button whose act is under way, and has been', async () => {
    const path = '/api/v1/reconciliation/cases';
    const { page } = await browser.open(app.url, {
      at: '#/cases',
      key: books.filled,
      failures: 'expected',
      before: (page) =>
        page.route(
          (url) => url.pathname === path && url.searchParams.has('limit'),
          async (route) => {
            const url = new URL(route.request().url());
            url.searchParams.set('limit', '2');
            await route.continue({ url: url.href });
          },
        ),
    });
    const pressed = async (name: string): Promise<void> => {
      await page.getByRole('button', { name }).last().focus();
      await page.keyboard.press('Enter');
    };
    await pressed('Next');
    await page.getByText(/^101–102 of/).waitFor();
    expect(await focusedName(page)).toBe('Next');
    await pressed('CSV of these');
    await page.getByRole('status').getByText('The file is with').waitFor({ state: 'attached' });
    await page
      .locator('button:focus')
      .filter({ hasText: /^CSV of these/ })
      .waitFor();
    await show(page, '/connections');
    await pressed('Sync now platform_a');
    await page.getByRole('status').getByText('platform_a was read').waitFor({ state: 'attached' });
    expect(await focusedName(page)).toBe('Sync now platform_a');
    // A write that fails leaves the person where they sent it.
    await show(page, '/cases');
    await page
      .getByRole('checkbox', { name: /^Choose/ })
      .first()
      .check();
    await page.route(
      (url) => url.pathname === path,
      (route) => (route.request().method() === 'PATCH' ? route.fulfill(refused) : route.fallback()),
    );
    await page.getByRole('button', { name: 'Assign …' }).click();
    await pressed('Assign');
    await page.getByRole('dialog').getByText('Something else is under way').waitFor();
    expect(await focusedName(page)).toBe('Assign');
  });

  it('shows where it is at each step', async () => {
    const { page } = await browser.open(app.url, { key: books.filled });
    await page.getByText('1 USD = 3.64 QAR').waitFor();
    for (let steps = 0; steps < 25; steps += 1) {
      await page.keyboard.press('Tab');
      const seen = await page.evaluate<{ outline: string; inView: boolean }>(`(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect();
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        const outline = outlineStyle + ' ' + outlineWidth;
        return { outline, inView: bottom > 0 && top < innerHeight, html: document.activeElement.outerHTML.slice(0, 90) };
      })()`);
      expect(seen).toEqual({ ...seen, outline: 'solid 2px', inView: true });
    }
  });
});
