import type { Page } from 'playwright-core';
import { api } from '../support/api';
import { startApp, type RunningApp } from '../support/app';
import { builtConsole } from '../support/built-console';
import { enter, findingsInBothSchemes, withBrowser } from '../support/console-browser';

jest.setTimeout(120_000);

const browser = withBrowser();
let app: RunningApp;
let filled: string;
let empty: string;
/** A case of the books that are filled. */
let caseId: string;
/** An object of the one that is filled, on which the platforms differ. */
let contract: string;
beforeAll(async () => {
  app = await startApp({}, [], undefined, await builtConsole());
  filled = (await app.openSession()).key;
  empty = (await app.openSession()).key;
  for (const platform of ['platform_a', 'platform_b'])
    await api(app.url, filled).post('/connect', { platform });
  const { body } = await api(app.url, filled).get('/objects?q=PO-DCH&entity_type=contract&status=approved');
  contract = body.data[0].canonical_id;
  const title = { title: 'Podium Glazing' };
  const change = { format: 'canonical', entity_type: 'contract', canonical_id: contract, data: title };
  await api(app.url, filled).post('/propagate', change);
  while (!(await api(app.url, filled).get('/reconciliation')).body.data.complete);
  caseId = (await api(app.url, filled).get('/reconciliation/cases?kind=only_on&limit=1')).body.data[0]
    .id as string;
  await decide(filled);
  await sign(filled);
  await api(app.url, filled).send('PUT', '/rates', { body: { from: 'EUR', to: 'USD', rate: '1.08' } });
});
afterAll(() => app.close());

/** Says of two contracts that they are not the same: it changes no case. */
async function decide(key: string): Promise<void> {
  const call = api(app.url, key);
  const recordOf = async (platform: string): Promise<object> => {
    const query = `kind=only_on&entity_type=contract&platform=${platform}&limit=1`;
    const { platform_id } = (await call.get(`/reconciliation/cases?${query}`)).body.data[0].records[0];
    return { platform, platform_id };
  };
  const records = [await recordOf('platform_a'), await recordOf('platform_b')];
  const why = { reason: 'Seen on paper', decided_by: 'Omar' };
  const body = { decision: 'not_same', entity_type: 'contract', records, ...why };
  expect((await call.post('/reconciliation/decisions', body)).status).toBe(200);
  while (!(await call.get('/reconciliation')).body.data.complete);
}

/** Puts a name under the statement. */
async function sign(key: string): Promise<void> {
  const { data } = (await api(app.url, key).get('/reconciliation')).body as {
    data: { as_of: string; currency: string; digest: string };
  };
  const { as_of, currency, digest } = data;
  const body = { as_of, currency, digest, role: 'prepared', signed_by: 'Mariam' };
  expect((await api(app.url, key).post('/reconciliation/signoffs', body)).status).toBe(200);
}

/** A screen, and how to tell that it shows what it has in each state. */
interface Screen {
  /** The part of the address behind `/console`; a function where it is known later. */
  readonly at: string | (() => string);
  readonly filled: (page: Page) => Promise<unknown>;
  readonly empty: (page: Page) => Promise<unknown>;
  /** Whether the screen is of a thing that is not there when it is empty. */
  readonly refuses?: true;
  /** The call that fails for the state of an error, and what makes it. */
  readonly fails: string;
  readonly fail?: (page: Page) => Promise<unknown>;
}

const addressOf = ({ at }: Screen): string => (typeof at === 'string' ? at : at());

const translate = (page: Page) => page.getByRole('button', { name: 'Translate' }).click();

const screens: Readonly<Record<string, Screen>> = {
  Statement: {
    at: '#/',
    filled: async (page) => {
      await page.getByText('1 USD = 3.64 QAR').waitFor();
      await page.getByRole('table', { name: 'Exactly these figures' }).waitFor();
    },
    empty: (page) => page.getByRole('heading', { name: 'No platform is connected' }).waitFor(),
    fails: '**/api/v1/reconciliation*',
  },
  'Sign-offs': {
    at: '#/signoffs',
    filled: (page) => page.getByRole('link', { name: 'Mariam' }).waitFor(),
    empty: (page) => page.getByText('Nobody has signed a statement.').waitFor(),
    fails: '**/api/v1/reconciliation/signoffs*',
  },
  Terms: {
    at: '#/terms',
    filled: (page) => page.getByText('1 EUR = 1.08 USD').waitFor(),
    empty: async (page) => {
      await page.getByText('No rate is agreed.').waitFor();
      await page.getByText('Payments of an invoice above its amount').waitFor();
    },
    fails: '**/api/v1/rules',
  },
  Cases: {
    at: '#/cases',
    filled: (page) => page.getByRole('checkbox').first().check(),
    empty: (page) => page.getByText('No case is open').waitFor(),
    fails: '**/api/v1/reconciliation/cases*',
  },
  Decide: {
    at: () => `#/cases/${caseId}`,
    filled: (page) => page.getByText(/^History and notes/).click(),
    empty: (page) => page.getByText('No case has this ID').waitFor(),
    refuses: true,
    fails: '**/api/v1/reconciliation/cases/*',
  },
  Decisions: {
    at: '#/decisions?status=all',
    filled: (page) => page.getByRole('button', { name: /^Withdraw …/ }).waitFor(),
    empty: (page) => page.getByText('No decision is like this.').waitFor(),
    fails: '**/api/v1/reconciliation/decisions*',
  },
  Connections: {
    at: '#/connections',
    filled: (page) => page.getByText('36', { exact: true }).waitFor(),
    empty: (page) => page.getByText('Not connected.').first().waitFor(),
    fails: '**/api/v1/connections',
  },
  'the finder': {
    at: '#/objects?q=INV-2025&type=invoice',
    filled: (page) =>
      page
        .getByRole('link', { name: /^INV-2025/ })
        .first()
        .waitFor(),
    empty: (page) => page.getByText(/^No such object/).waitFor(),
    fails: '**/api/v1/objects?*',
  },
  Object: {
    at: () => `#/objects/${contract}`,
    filled: (page) => page.getByRole('button', { name: /^Keep platform_a/ }).waitFor(),
    empty: (page) => page.getByText('NOT_FOUND').waitFor(),
    refuses: true,
    fails: '**/api/v1/objects/*',
  },
  Changes: {
    at: '#/changes',
    filled: (page) => page.getByText('1 change, newest first').waitFor(),
    empty: (page) => page.getByText(/^Nothing was changed/).waitFor(),
    fails: '**/api/v1/propagations*',
  },
  Translate: {
    at: '#/translate',
    filled: async (page) => {
      await page.getByRole('button', { name: 'Load a sample' }).click();
      await page
        .getByLabel(/^Source/)
        .getByText('check_number')
        .waitFor();
      await translate(page);
      await page.getByRole('table', { name: 'What became of each field' }).waitFor();
    },
    empty: (page) => page.getByLabel(/^Source/).waitFor(),
    fails: '**/api/v1/transform',
    fail: translate,
  },
};
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
    it.each([
      ['filled', () => filled, screen.filled],
      ['empty', () => empty, screen.empty],
    ] as const)('when it is %s', async (_state, key, shows) => {
      const { page } = await browser.open(app.url, {
        at: addressOf(screen),
        ...(screen.refuses && { failures: 'expected' }),
      });
      await enter(page, key());
      await shows(page);
      expect(await findingsInBothSchemes(page)).toEqual([]);
    });

    it('with an error, and the drawer open', async () => {
      const { page } = await browser.open(app.url, { at: addressOf(screen), failures: 'expected' });
      await page.route(screen.fails, (route) => route.fulfill(refused));
      await enter(page, filled);
      await screen.fail?.(page);
      await page.getByText('Something else is under way').waitFor();
      await page.getByRole('button', { name: 'Requests' }).click();
      expect(await findingsInBothSchemes(page)).toEqual([]);
    });
  });

  it('finds nothing in a dialog, which keeps the focus and gives it back', async () => {
    const { page } = await browser.open(app.url);
    await enter(page, empty);
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

describe('a narrow window', () => {
  it.each(Object.entries(screens))(
    'shows %s without a scroll of the page at 320 pixels',
    async (_name, screen) => {
      const { page } = await browser.open(app.url, {
        viewport: { width: 320, height: 640 },
        at: addressOf(screen),
      });
      await enter(page, filled);
      await screen.filled(page);
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
    await enter(page, filled);
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
