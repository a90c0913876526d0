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

const refused = {
  status: 409,
  json: {
    error: { type: 'CONFLICT_ERROR', message: 'Something else is under way', request_id: 'req_12345678' },
  },
};

describe('axe', () => {
  it('finds nothing at the entry, as it opens and with a problem', async () => {
    const { page } = await browser.open(app.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await enter(page, 'wrong');
    await page.getByText(/^A key begins with/).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  describe.each(Object.entries(screens))('finds nothing on %s', (_name, screen) => {
    it('when it is empty', async () => {
      const { page } = await browser.open(app.url, {
        at: addressOf(screen, books),
        ...(screen.refuses && { failures: 'expected' }),
      });
      await enter(page, books.empty);
      await screen.empty(page);
      expect(await findingsInBothSchemes(page)).toEqual([]);
    });

    it('with an error, and the drawer open', async () => {
      const { page } = await browser.open(app.url, { at: addressOf(screen, books), failures: 'expected' });
      await page.route(screen.fails, (route) => route.fulfill(refused));
      await enter(page, books.filled);
      await screen.fail?.(page);
      await page.getByText('Something else is under way').waitFor();
      await page.getByRole('button', { name: 'Requests' }).click();
      expect(await findingsInBothSchemes(page)).toEqual([]);
    });
  });

  it('finds nothing in a dialog, which keeps the focus and gives it back', async () => {
    const { page } = await browser.open(app.url);
    await enter(page, books.empty);
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
