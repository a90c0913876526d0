import { startApp, type RunningApp } from '../support/app';
import { builtConsole } from '../support/built-console';
import { enter, findingsInBothSchemes, withBrowser } from '../support/console-browser';
import { addressOf, makeBooks, screens, type Books } from '../support/console-screens';

jest.setTimeout(120_000);

const browser = withBrowser();
let app: RunningApp;
let books: Books;
beforeAll(async () => {
  app = await startApp({}, [], undefined, await builtConsole());
  books = await makeBooks(app);
});
afterAll(() => app.close());

describe('a screen', () => {
  it.each(Object.entries(screens))(
    '%s has nothing that axe finds when it is filled, and no scroll of the page at 320 pixels',
    async (_name, screen) => {
      const { page } = await browser.open(app.url, { at: addressOf(screen, books) });
      await enter(page, books.filled);
      await screen.filled(page);
      expect(await findingsInBothSchemes(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate('innerWidth')).toBe(320);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
      const small = await page.evaluate<string[]>(
        `[...document.querySelectorAll('button, select, input, nav a')].filter((one) => {
        const { width, height } = one.getBoundingClientRect();
        return width > 0 && (width < 24 || height < 24);
      }).map((one) => one.outerHTML)`,
      );
      expect(small).toEqual([]);
    },
  );
});

describe('the keyboard', () => {
  it('shows where it is at each step', async () => {
    const { page } = await browser.open(app.url);
    await enter(page, books.filled);
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
