import type { Locator, Page } from 'playwright-core';
import { api } from '../support/app/api';
import type { RunningApp } from '../support/app/app';
import { compared } from '../support/customers/compared';
import { startConsole } from '../support/console/console-app';
import {
  enter,
  expectFocusOn,
  findingsInBothSchemes,
  focusedName,
  withBrowser,
} from '../support/console/console-browser';
import { holdBack, show } from '../support/console/console-page';
import { latch } from '../support/this-process/latch';

jest.setTimeout(90_000);

const browser = withBrowser();
let app: RunningApp;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app.close());

describe('the first visit', () => {
  it('leads from the entry over a demo session to the statement, by keyboard alone', async () => {
    const { page, requests } = await browser.open(app.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectFocusOn(page, 'Do the two books agree?');
    const walk: string[] = [];
    while (walk.at(-1) !== 'Try it with a demo session' && walk.length < 10) {
      await page.keyboard.press('Tab');
      walk.push(await focusedName(page));
    }
    expect(walk).toEqual(['', 'Open the console', 'Try it with a demo session']);
    const release = await holdBack(page, '/api/v1/connect');
    await page.keyboard.press('Enter');
    await page.getByText('Connect platform_a: ').waitFor();
    await release();
    await page.getByRole('table', { name: /^All types/ }).waitFor();
    await expectFocusOn(page, 'Statement');
    expect(await page.title()).toBe('Statement · Console');
    await page.getByText('DEMO', { exact: true }).waitFor();
    await page.getByRole('banner').getByText('Demo session', { exact: true }).waitFor();
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual([
      'POST /api/v1/demo/session',
      'POST /api/v1/connect',
      'POST /api/v1/connect',
    ]);

    await page.keyboard.press('Tab');
    await expectFocusOn(page, 'CSV');
    // Back over the header to the link that passes it by.
    for (let steps = 0; steps < 20 && !(await focusedName(page)).startsWith('Skip'); steps += 1) {
      await page.keyboard.press('Shift+Tab');
    }
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  it('shows the first table after three assets and two calls', async () => {
    const { key } = await app.openSession();
    const { page, requests } = await browser.open(app.url, { own: true });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(requests.filter((one) => one.includes('/console/'))).toHaveLength(3);
    expect(requests).toHaveLength(4);
    await page.route('**/api/v1/connections', () => undefined); // What comes later does not hold up the table.
    await enter(page, key);
    await page.getByRole('heading', { name: 'No platform is connected' }).waitFor();
    const calls = requests.slice(4).filter((one) => !one.endsWith('/connections'));
    expect(calls.sort()).toEqual(['GET /api/v1/me', 'GET /api/v1/reconciliation']);
  });

  it('keeps what is in view where it is when the figures come', async () => {
    const { key } = await app.openSession();
    const call = api(app.url, key);
    for (const platform of ['platform_a', 'platform_b']) await call.post('/connect', { platform });
    // A statement that is not complete yet would be asked for again.
    await compared(call);
    const { page } = await browser.open(app.url, { own: true });
    await enter(page, key);
    await page.addInitScript(`
      window.moved = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.moved += value)))
        .observe({ type: 'layout-shift', buffered: true });
      window.asked = [];
      const send = window.fetch;
      window.fetch = (request) => {
        window.asked.push([new URL(request.url).pathname, document.querySelectorAll('#console *').length]);
        return send(request);
      };`);
    await page.reload();
    await page.getByText('1 USD = 3.64 QAR').waitFor();
    await page.getByText(/^36 records/).waitFor();
    expect(await page.evaluate('window.moved')).toBeLessThan(0.02);
    const nodes = await page.evaluate('document.querySelectorAll("*").length');
    expect(nodes).toBeLessThan(1500);
    // A session that goes on asks before anything is drawn, and once.
    const asked = await page.evaluate<[path: string, drawn: number][]>('window.asked');
    const first = ['/api/v1/me', '/api/v1/reconciliation'];
    expect(asked.filter(([path]) => first.includes(path))).toEqual(first.map((path) => [path, 0]));
  });

  it('says when it may be tried again after too many demo sessions', async () => {
    const { page } = await browser.open(app.url, { failures: 'expected', own: true });
    await page.clock.install();
    await page.reload();
    await page.route('**/api/v1/demo/session', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': '60', 'X-Request-ID': 'req_tooMany12345' },
        json: {
          error: { type: 'RATE_LIMIT_ERROR', message: 'Too many sessions', request_id: 'req_tooMany12345' },
        },
      }),
    );
    await page.getByRole('button', { name: 'Try it with a demo session' }).click();
    await page.getByText('Too many sessions').waitFor();
    await page.getByText('req_tooMany12345').waitFor();
    expect(await page.getByRole('button', { name: /^Try again in \d+ s$/ }).isDisabled()).toBe(true);
    await page.clock.runFor(61_000);
    await page.getByRole('button', { name: 'Try it with a demo session' }).waitFor();
  });
});

/** Everything that a page can read back later, and what it shows. */
const everywhere = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state,
  document.title, document.documentElement.outerHTML])`;

describe('a key', () => {
  it.each(['test', 'live'] as const)('of mode %s is in the memory of the page alone', async (mode) => {
    const { key } = await app.issueKey(mode);
    const { page, context } = await browser.open(app.url, { at: '#/connections', own: true });
    await enter(page, key);
    await page.getByText(mode.toUpperCase(), { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Connections' }).waitFor();
    await page.getByRole('button', { name: 'Requests' }).click();
    await page.getByText('GET /api/v1/me').waitFor();
    const secret = key.slice(8);
    expect(await page.evaluate(everywhere)).not.toContain(secret);
    expect(JSON.stringify(await context.storageState({ indexedDB: true }))).not.toContain(secret);
    expect(await page.evaluate('caches.keys()')).toEqual([]);

    await page.reload();
    await page.getByLabel('API key').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    // The address stayed, so the key leads back to it.
    await enter(page, key);
    await page.getByRole('heading', { name: 'Connections' }).waitFor();
  });

  it('of a demo session outlives a reload, and nothing outlives Forget key', async () => {
    const { key } = await app.openSession();
    const { page } = await browser.open(app.url);
    await enter(page, key);
    await page.getByText('DEMO', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('DEMO', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Forget key' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(everywhere)).not.toContain(key.slice(8));
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });

  it('is forgotten with what was said to people who do not see the page', async () => {
    const { page } = await browser.open(app.url, { at: '#/terms', key: (await app.issueKey('test')).key });
    await page.getByRole('button', { name: 'Agree on a rate …' }).click();
    await page.getByLabel('One unit of').fill('EUR');
    await page.getByLabel('In units of').fill('USD');
    await page.getByLabel('Rate', { exact: true }).fill('1.0825');
    await page.getByLabel('Reason').fill('Contract');
    await page.getByLabel('Decided by').fill('Amira');
    await page.getByRole('button', { name: 'Set the rate' }).click();
    await page.getByRole('status').getByText('1.0825').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Forget key' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(everywhere)).not.toContain('1.0825');
  });

  it('is forgotten after 30 minutes without use', async () => {
    const { key } = await app.issueKey('test');
    const { page } = await browser.open(app.url, { own: true });
    await page.clock.install();
    await page.reload();
    await enter(page, key);
    await page.getByText('TEST', { exact: true }).waitFor();
    await page.clock.fastForward('20:00');
    await page.keyboard.press('Shift');
    await page.clock.fastForward('20:00');
    // By then the page has forgotten it, or has not.
    await show(page, '/connections');
    await page.getByText('TEST', { exact: true }).waitFor();
    await page.clock.fastForward('30:00');
    await page.getByText('The key was forgotten after 30 minutes without use.').waitFor();
  });

  it('is forgotten at the first touch after the machine slept, before any timer has run', async () => {
    const { key } = await app.issueKey('test');
    const { page } = await browser.open(app.url, { own: true });
    await page.clock.install();
    await page.reload();
    await enter(page, key);
    await page.getByText('TEST', { exact: true }).waitFor();
    // The clock goes on while a machine sleeps, and its timers do not.
    await page.clock.setSystemTime(Date.now() + 31 * 60_000);
    await page.keyboard.press('Shift');
    await page.getByText('The key was forgotten after 30 minutes without use.').waitFor();
  });

  it('that the service refuses leads to the entry, and the next one back to the same screen', async () => {
    const { page } = await browser.open(app.url, { at: '#/connections', failures: 'expected' });
    await enter(page, 'sk_test_thisKeyWasNeverIssued');
    await page.getByText('The service does not accept this key, or not any more.').waitFor();
    await enter(page, (await app.issueKey('test')).key);
    await page.getByRole('heading', { name: 'Connections' }).waitFor();
    // What was asked for with the first key is not shown to the person with the second one.
    await page.getByRole('button', { name: 'Requests' }).click();
    const calls = page.getByRole('table', { name: /calls of this tab/ }).locator('tbody tr');
    await calls.filter({ hasText: 'GET /api/v1/me' }).getByText('200', { exact: true }).waitFor();
    // As a whole text: the ID of a request may have these digits in it.
    expect(await calls.getByText('401', { exact: true }).count()).toBe(0);
  });

  it.each([
    [
      'until another key is given',
      async (page: Page) => {
        await page.unroute('**/api/v1/rates');
        await enter(page, (await app.issueKey('test')).key);
        await page.getByRole('button', { name: 'Forget key' }).click();
        await page.getByLabel('API key').waitFor();
      },
    ],
    ['for 30 minutes without use', (page: Page) => page.clock.fastForward('31:00')],
  ])('that the service refuses leaves what a person has written, %s', async (_until, pass) => {
    const { page } = await browser.open(app.url, { at: '#/terms', failures: 'expected', own: true });
    await page.clock.install();
    await page.reload();
    await enter(page, (await app.issueKey('test', ['read', 'administer'])).key);
    await page.getByRole('button', { name: 'Agree on a rate …' }).click();
    const fields = {
      'One unit of': 'USD',
      'In units of': 'AED',
      Rate: '3.67',
      Reason: 'Agreed with the bank',
    };
    for (const [label, text] of Object.entries({ ...fields, 'Decided by': 'Mariam' }))
      await page.getByRole('dialog').getByLabel(label, { exact: true }).fill(text);
    await page.route('**/api/v1/rates', (route) =>
      route.fulfill({
        status: 401,
        json: { error: { type: 'AUTHENTICATION_ERROR', message: 'No such key', request_id: 'req_12345678' } },
      }),
    );
    await page.getByRole('button', { name: 'Set the rate' }).click();
    const written = page.getByRole('region', { name: 'What you had written' });
    await written.getByText('Reason: Agreed with the bank').waitFor();
    await written.getByRole('button', { name: 'Copy the Reason' }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await pass(page);
    await written.waitFor({ state: 'detached' });
  });

  /** Another key is given before an answer comes to a call with the first one, and is still there behind it. */
  async function expectToStay(
    page: Page,
    release: () => Promise<void>,
    press = (button: Locator) => button.click(),
  ): Promise<void> {
    await press(page.getByRole('button', { name: 'Forget key' }));
    await enter(page, (await app.issueKey('live')).key);
    await page.getByText('LIVE', { exact: true }).waitFor();
    await release();
    // By then the page has shown what became of the answer.
    await page.getByRole('link', { name: 'Terms' }).click();
    await page.getByRole('table', { name: 'What becomes of a change' }).waitFor();
    expect(await page.getByText('LIVE', { exact: true }).count()).toBe(1);
  }

  it('stays when the service refuses a call that was made with the one before it', async () => {
    const { page } = await browser.open(app.url, {
      at: '#/connections',
      failures: 'expected',
      key: (await app.issueKey('test')).key,
    });
    const release = await holdBack(page, '/api/v1/connect', (route) =>
      route.fulfill({
        status: 401,
        json: { error: { type: 'AUTHENTICATION_ERROR', message: 'No such key', request_id: 'req_12345678' } },
      }),
    );
    await page.getByRole('button', { name: 'Connect platform_a' }).click();
    await page.getByText('Reading for').waitFor();
    await expectToStay(page, release);
  });

  it('stays when the end of a demo session is answered that was asked for before it', async () => {
    const { page } = await browser.open(app.url, { key: (await app.openSession()).key });
    const release = await holdBack(page, '/api/v1/demo/session');
    await page.getByRole('button', { name: 'End demo' }).click();
    await page.getByRole('button', { name: 'End and delete' }).click();
    await page.getByText('Sending …').waitFor();
    // The dialog is in front of the button until the answer is there. The session does not rely on that.
    await expectToStay(page, release, (button) => button.dispatchEvent('click'));
  });

  it('stays when a demo session comes that was asked for before it', async () => {
    const { key } = await app.issueKey('test');
    const { opened: released, open: release } = latch();
    const { page } = await browser.open(app.url, {
      before: (page) =>
        page.route('**/api/v1/demo/session', async (route) => {
          await released;
          await route.continue();
        }),
    });
    await page.getByRole('button', { name: 'Try it with a demo session' }).click();
    await enter(page, key);
    await page.getByText('TEST', { exact: true }).waitFor();
    release();
    await page.waitForResponse(
      async (response) =>
        response.url().endsWith('/api/v1/connect') && (await response.text()).includes('platform_b'),
    );
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByRole('heading', { name: 'Connections' }).waitFor();
    expect(await page.getByText('TEST', { exact: true }).count()).toBe(1);
  });

  it('of another form is not sent anywhere', async () => {
    const { page, requests } = await browser.open(app.url);
    await enter(page, 'not a key');
    await page.getByText('A key begins with sk_live_, sk_test_ or sk_demo_.').waitFor();
    expect(requests.filter((one) => one.includes('/api/'))).toEqual([]);
  });
});

describe('the end of a demo session', () => {
  it('is asked about, happens once, and leads to the entry', async () => {
    const { key } = await app.openSession();
    const { page, requests } = await browser.open(app.url);
    await enter(page, key);
    await page.getByRole('button', { name: 'End demo' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End demo' }).click();
    await page.getByRole('button', { name: 'End and delete' }).dblclick();
    await page.getByText('The demo session and its data were deleted.').waitFor();
    expect(requests.filter((one) => one === 'DELETE /api/v1/demo/session')).toHaveLength(1);
  });
});

describe('the drawer of requests', () => {
  it('has each call as a command without its key', async () => {
    const { key } = await app.issueKey('test');
    const { page, context } = await browser.open(app.url);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await enter(page, key);
    await page.getByRole('button', { name: 'Requests' }).click();
    const row = page.getByRole('row').filter({ hasText: 'GET /api/v1/me' });
    await row.getByRole('button', { name: /^Copy the command/ }).click();
    await row
      .getByRole('button', { name: /^Copy the command/ })
      .getByText('Copied')
      .waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toBe(`curl -X GET '${app.url}/api/v1/me' \\\n  -H "Authorization: Bearer $KEY"`);
  });

  it('has no call that is tried again after its key was forgotten', async () => {
    const { page } = await browser.open(app.url, {
      at: '#/connections',
      failures: 'expected',
      key: (await app.issueKey('test')).key,
    });
    let tries = 0;
    const release = await holdBack(page, '/api/v1/connect', async (route) => {
      tries += 1;
      const busy = {
        error: { type: 'EXTERNAL_SERVICE_ERROR', message: 'Too much work', request_id: 'req_12345678' },
      };
      if (tries > 1) await route.continue();
      else await route.fulfill({ status: 502, headers: { 'Retry-After': '0' }, json: busy });
    });
    await page.getByRole('button', { name: 'Connect platform_a' }).click();
    await page.getByText('Reading for').waitFor();
    await page.getByRole('button', { name: 'Forget key' }).click();
    await enter(page, (await app.issueKey('live')).key);
    await page.getByText('LIVE', { exact: true }).waitFor();
    const [again] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/connect') && response.status() !== 502),
      release(),
    ]);
    await again.finished();
    await page.getByRole('button', { name: 'Requests' }).click();
    const calls = page.getByRole('table', { name: /calls of this tab/ });
    await calls.getByText('GET /api/v1/me').waitFor();
    expect(await calls.getByText('POST /api/v1/connect').count()).toBe(0);
  });
});
