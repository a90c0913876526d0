import type { Page } from 'playwright-core';
import { api } from '../support/app/api';
import type { Caller, RunningApp } from '../support/app/app';
import { startConsole } from '../support/console/console-app';
import { enter, expectFocusOn, findingsInBothSchemes, withBrowser } from '../support/console/console-browser';
import { comeBack, holdBack, lookOften, show } from '../support/console/console-page';
import { decide, type RecordText } from '../support/customers/deciding';
import { GivenRecords, record } from '../support/platforms/given-records';
import { guid } from '../support/records/guid';

jest.setTimeout(90_000);

const NUMBER = 'PO-DCH  014';
const browser = withBrowser();
const sources = new GivenRecords();
let app: RunningApp;
/** For tests that change nothing. */
let books: Books;
beforeAll(async () => {
  app = await startConsole({ given: sources });
  books = await connected();
});
afterAll(() => app.close());

interface Books {
  readonly caller: Caller;
  readonly call: ReturnType<typeof api>;
  /** A contract whose number platform_b writes with one blank, and platform_a with two. */
  readonly contract: string;
}

/** A demo session whose platforms are read. */
async function connected(): Promise<Books> {
  const caller = await app.openSession();
  const call = api(app.url, caller.key);
  for (const platform of ['platform_a', 'platform_b']) await call.post('/connect', { platform });
  const { body } = await call.get('/objects?q=PO-DCH&entity_type=contract&status=approved');
  return { caller, call, contract: body.data[0].canonical_id as string };
}

const fields = (page: Page) => page.getByRole('table', { name: /fields? differs?|All fields/ });
const dialog = (page: Page) => page.getByRole('dialog');

type Sent = Record<string, unknown>;

/** Keeps what the page sends to `/propagate`, dry runs as well. Chromium tells no body of a request that has been cloned. */
async function watch(page: Page): Promise<() => Promise<Sent[]>> {
  await page.evaluate(`(() => {
    globalThis.sent = [];
    const send = globalThis.fetch;
    globalThis.fetch = async (request) => {
      if (request.method === 'POST' && request.url.endsWith('/propagate')) {
        const body = JSON.parse(await request.clone().text());
        const [key, match] = ['Idempotency-Key', 'If-Match'].map((name) => request.headers.get(name));
        globalThis.sent.push({ ...body, key, match });
      }
      return send(request);
    };
  })()`);
  return () => page.evaluate<Sent[]>('globalThis.sent');
}

/** Lets the page meet another kind of key than it has. */
async function me(page: Page, change: (key: { mode: string; permissions: string[] }) => void): Promise<void> {
  await page.route('**/api/v1/me', async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { data: { key: { mode: string; permissions: string[] } } };
    change(answer.data.key);
    await route.fulfill({ response, json: answer });
  });
}

async function explain(page: Page): Promise<void> {
  await dialog(page).getByLabel('Reason').fill('The number on paper');
  await dialog(page).getByLabel('Decided by').fill('Mariam');
}

describe('the finder', () => {
  it('finds an object by a word, which leads to it', async () => {
    const { caller, contract } = books;
    const { page, requests } = await browser.open(app.url, { at: '#/objects', key: caller.key });
    await page.getByLabel('Type').selectOption('contract');
    await page.getByLabel('Number, title or name').fill('po-dch');
    await page.getByLabel('Status').selectOption('approved');
    await page.getByLabel('Number, title or name').press('Enter');
    await page.getByText('1–1 of 1 found').waitFor();
    expect(new URL(page.url()).hash).toBe('#/objects?q=po-dch&type=contract&status=approved');
    await page.getByRole('link', { name: /^PO-DCH/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Contract' }).waitFor();
    await page.waitForFunction(`document.title === 'Contract · Console'`);
    expect(requests.some((one) => one.includes('console') && one.includes(contract))).toBe(false);
    await page.goBack();
    await page.getByLabel('Number, title or name').fill('nothing like it');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText(/^No such object/).waitFor();
    const text = page.getByLabel('Number, title or name');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.name')).toBe('q');
    await page.getByLabel('Letter keys').uncheck();
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.name')).not.toBe('q');
    expect(await text.inputValue()).toBe('nothing like it');
  });

  it('numbers no rows behind a page that has fewer than its limit', async () => {
    const { caller } = books;
    const { page } = await browser.open(app.url, {
      at: '#/objects?q=po-dch&type=contract&status=approved',
      key: caller.key,
      before: (page) =>
        page.route('**/api/v1/objects?*', async (route) => {
          const url = new URL(route.request().url());
          const cursor = url.searchParams.get('cursor');
          url.searchParams.delete('cursor');
          const response = await route.fetch({ url: url.href });
          const body = (await response.json()) as object;
          const further = cursor === null ? 'further' : null;
          await route.fulfill({ response, json: { ...body, next_cursor: further, total: 2 } });
        }),
    });
    await page.getByText('1–1 of 2 found').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('1 on this page of 2 found').waitFor();
  });
});

describe('an object', () => {
  it('shows amounts the right way round behind a text that turns the line', async () => {
    const { caller, contract } = books;
    const texts = ['\u202EEnd of the line', '\u062E\u0631\u0633\u0627\u0646\u0629 40'];
    const lines = texts.map((description) => ({
      description,
      amount: { amount: 123_456, currency: 'USD' },
    }));
    const { page } = await browser.open(app.url, {
      at: `#/objects/${contract}?show=all`,
      key: caller.key,
      before: (page) =>
        page.route(
          (url) => url.pathname === `/api/v1/objects/${contract}`,
          async (route) => {
            const response = await route.fetch();
            const answer = (await response.json()) as { data: { data: object } };
            Object.assign(answer.data.data, { lines });
            await route.fulfill({ response, json: answer });
          },
        ),
    });
    const lists = fields(page).getByText('2 lines', { exact: true });
    await lists.last().click();
    await fields(page).getByText('1,234.56 USD').last().waitFor();
    const places = await page.evaluate<number[][]>(`
      [...document.querySelectorAll('details[open] li .money')].map(({ firstChild }) =>
        [...firstChild.data].map((_, place) => {
          const digit = document.createRange();
          digit.setStart(firstChild, place);
          digit.setEnd(firstChild, place + 1);
          return digit.getBoundingClientRect().left;
        }))`);
    expect(places).toHaveLength(2);
    for (const digits of places) expect(digits).toEqual([...digits].sort((one, other) => one - other));
  });

  it('shows what differs with both values and the reason, and all fields when asked', async () => {
    const { caller, contract } = books;
    const { page } = await browser.open(app.url, { at: `#/objects/${contract}`, key: caller.key });
    const row = fields(page).getByRole('row', { name: /^number/ });
    await row.getByText('differs in blanks').waitFor();
    expect(await row.locator('td').nth(0).innerText()).toBe(NUMBER);
    expect(await row.locator('td').nth(1).innerText()).toBe('PO-DCH 014');
    await row.getByText('platform_a counts: it comes first by default').waitFor();
    expect(await fields(page).locator('tbody tr').count()).toBe(1);
    await page.getByLabel('Differences only').press('Space');
    const amount = fields(page).getByRole('row', { name: /^amount/ });
    await amount.getByText('1,480,000.00 USD').first().waitFor();
    await amount.getByText('5,435,300.00 AED').waitFor();
    await amount.getByText('1 USD = 3.6725 AED, official peg').waitFor();
    await amount.getByText('no difference found').waitFor();
    await fields(page)
      .getByRole('row', { name: /^contract date.*the same/ })
      .waitFor();
    await fields(page)
      .getByRole('row', { name: /^title.*one side only/ })
      .waitFor();
    expect(new URL(page.url()).hash).toBe(`#/objects/${contract}?show=all`);
    await page.getByRole('link', { name: 'Its project' }).click();
    await page.getByRole('heading', { level: 1, name: 'Project' }).waitFor();
  });

  it('shows amounts for which a record names no currency in that of their platform', async () => {
    const { key, customerId } = await app.openSession();
    const call = api(app.url, key);
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, amount: '10.00', check_number: 'CHK-1' }),
    ]);
    const onB = [
      record('payment', { id: guid(1), amount: -36.4, externalDocumentNumber: 'CHK-1' }),
      record('customer', {
        id: guid(2),
        number: 'C-1',
        displayName: 'Doha',
        currencyCode: 'USD',
        balanceDue: 7.5,
      }),
    ];
    sources.give(customerId, 'platform_b', onB, { currency: 'QAR' });
    for (const platform of ['platform_a', 'platform_b']) await call.post('/connect', { platform });
    const shown = async (type: string, q: string, field: RegExp): Promise<string> => {
      const { body } = await call.get(`/objects?entity_type=${type}&q=${q}`);
      await show(page, `/objects/${body.data[0].canonical_id as string}?show=all`);
      return fields(page).getByRole('row', { name: field }).innerText();
    };
    const { page } = await browser.open(app.url, { key });
    expect(await shown('payment', 'CHK-1', /^amount/)).toMatch(
      /10\.00 USD[^]*36\.40 QAR[^]*10\.00 USD[^]*no difference found/,
    );
    expect(await shown('customer', 'C-1', /^balance due/)).toMatch(/7\.50 QAR[^]*7\.50 QAR/);
  });

  it('is parted with a reason after a dry run, and its calls are there to be copied', async () => {
    const { caller, call, contract } = await connected();
    const { page } = await browser.open(app.url, { at: `#/objects/${contract}`, key: caller.key });
    await page.getByRole('link', { name: 'API calls' }).click();
    const curl = page.getByRole('region', { name: 'curl: Fields, records, evidence' });
    await curl.getByText(`/api/v1/objects/${contract}'`).waitFor();
    expect(await curl.innerText()).not.toContain(caller.key);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Part these two …' }).click();
    await dialog(page)
      .getByText(/^Dry run: 1 record moves/)
      .waitFor();
    await explain(page);
    await dialog(page).getByRole('button', { name: 'Part them' }).dblclick();
    await page.getByText(/Only platform_. has it/).waitFor();
    expect(await page.getByRole('button', { name: 'Part these two …' }).count()).toBe(0);
    const { data } = (await call.get('/reconciliation/decisions')).body as { data: object[] };
    expect(data).toMatchObject([{ decision: 'not_same', decided_by: 'Mariam', status: 'standing' }]);
  });

  it('is settled by what the dry run showed, once for a double click, and says what became of it', async () => {
    const { caller, contract } = await connected();
    const { page } = await browser.open(app.url, { at: `#/objects/${contract}` });
    const sent = await watch(page);
    await enter(page, caller.key);
    await page.getByRole('button', { name: 'Keep platform_a for number' }).click();
    await dialog(page)
      .getByRole('table', { name: /goes to platform_b/ })
      .waitFor();
    expect(await dialog(page).locator('tbody td').allInnerTexts()).toEqual([JSON.stringify(NUMBER)]);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    // Without a reason nothing is sent.
    await dialog(page).getByRole('button', { name: 'Send the number' }).click();
    expect(await sent()).toHaveLength(1);
    await explain(page);
    await dialog(page).getByRole('button', { name: 'Send the number' }).dblclick();
    const note = page.getByRole('region', { name: 'What became of the change' });
    await note.getByText(/^platform_b . has the change/).waitFor();
    await note.getByText(/^platform_a . needed no change/).waitFor();
    await expectFocusOn(page, 'What became of the change');
    await page.getByText('The platforms agree in every field that both have').waitFor();
    const [look, change, ...more] = await sent();
    expect(more).toEqual([]);
    const { dry_run: isDry, key: none, ...looked } = look ?? {};
    expect([isDry, none]).toEqual([true, null]);
    expect(change).toEqual({
      ...looked,
      key: expect.stringMatching(/^console-/),
      reason: 'The number on paper',
      decided_by: 'Mariam',
    });
    await page.getByRole('link', { name: 'History' }).click();
    const entry = page
      .getByRole('listitem')
      .filter({ hasText: 'Change through this service, decided by Mariam' });
    await entry.getByText('The number on paper').waitFor();
    await entry.getByText('externalDocumentNumber').waitFor();
    await entry.getByText('No longer differ: number.').waitFor();
  });

  it('shows base, theirs and mine where another person was quicker, and changes nothing', async () => {
    const { caller, call, contract } = await connected();
    const { page } = await browser.open(app.url, { at: `#/objects/${contract}`, failures: 'expected' });
    const sent = await watch(page);
    await me(page, (key) => (key.mode = 'live'));
    await enter(page, caller.key);
    await page.getByRole('button', { name: 'Take platform_b for number' }).click();
    await explain(page);
    // A live key changes nothing before its object is named.
    expect(await dialog(page).getByRole('button', { name: 'Send the number' }).isDisabled()).toBe(true);
    await dialog(page)
      .getByLabel(/^Type its name/)
      .fill('PO-DCH 014');
    const title = '<img src=x onerror="document.title=1">';
    const theirs = { format: 'canonical', entity_type: 'contract', canonical_id: contract, data: { title } };
    expect((await call.post('/propagate', theirs)).status).toBe(200);
    await dialog(page).getByRole('button', { name: 'Send the number' }).click();
    const table = dialog(page).getByRole('table', { name: /^Another person was quicker/ });
    await table.getByRole('row', { name: 'title' }).waitFor();
    const texts = await table
      .getByRole('row', { name: /^number/ })
      .locator('td')
      .allInnerTexts();
    expect(texts).toEqual([NUMBER, NUMBER, 'PO-DCH 014']);
    expect(await page.locator('img').count()).toBe(0);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(title).first().waitFor();
    await page.getByRole('button', { name: 'Take platform_b for number' }).click();
    await dialog(page)
      .getByRole('table', { name: /goes to platform_a/ })
      .waitFor();
    expect(await sent()).toHaveLength(3);
    const { body } = await call.get(`/objects/${contract}`);
    expect(body.data.data.number).toBe(NUMBER);
  });

  it('sends what the dry run showed, for the version that it was of, when the object is read again behind the dialog', async () => {
    const { caller, call, contract } = await connected();
    const reads: string[] = [];
    const { page } = await browser.open(app.url, {
      at: `#/objects/${contract}`,
      failures: 'expected',
      own: true,
      before: lookOften,
    });
    const sent = await watch(page);
    // While a write is not decided, the page looks at the object again and again.
    await page.route(
      (url) => url.pathname === `/api/v1/objects/${contract}`,
      async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as { data: { version: string; state: { open: boolean } } };
        answer.data.state.open = true;
        reads.push(answer.data.version);
        await route.fulfill({ response, json: answer });
      },
    );
    await enter(page, caller.key);
    await page.getByRole('button', { name: 'Take platform_b for number' }).click();
    await explain(page);
    const theirs = { title: 'Theirs' };
    const change = { format: 'canonical', entity_type: 'contract', canonical_id: contract, data: theirs };
    expect((await call.post('/propagate', change)).status).toBe(200);
    await page.getByRole('heading', { level: 2, name: /Theirs/, includeHidden: true }).waitFor();
    expect(new Set(reads).size).toBeGreaterThan(1);
    await dialog(page).getByRole('button', { name: 'Send the number' }).click();
    await dialog(page)
      .getByRole('table', { name: /^Another person was quicker/ })
      .getByRole('row', { name: 'title' })
      .waitFor();
    const [look, send] = await sent();
    expect(send).toMatchObject({ match: look?.['match'], data: look?.['data'] });
    const { body } = await call.get(`/objects/${contract}`);
    expect(body.data.data.number).toBe(NUMBER);
  });

  it('keeps a dialog with what a person writes when the difference goes behind it, and the record too', async () => {
    const { caller, call, contract } = await connected();
    const { page } = await browser.open(app.url, {
      at: `#/objects/${contract}`,
      failures: 'expected',
      own: true,
      key: caller.key,
    });
    const cancelled = async (): Promise<void> => {
      expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('The number on paper');
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      // What opened it has gone.
      await expectFocusOn(page, 'Contract');
    };
    await page.getByRole('button', { name: 'Take platform_b for number' }).click();
    await explain(page);
    // Another person settles it by then.
    const about = { format: 'canonical', entity_type: 'contract', canonical_id: contract };
    expect((await call.post('/propagate', { ...about, data: { number: 'PO-DCH 014' } })).status).toBe(200);
    await comeBack(page);
    await page.getByText('The platforms agree in every field').waitFor({ state: 'attached' });
    await cancelled();

    await page.getByRole('button', { name: 'Part these two …' }).click();
    await explain(page);
    const { records } = (await call.get(`/objects/${contract}`)).body.data as {
      records: { platform: string; platform_id: string }[];
    };
    const [first, second] = records.map(({ platform, platform_id: id }) => `${platform} ${id}` as RecordText);
    if (first === undefined || second === undefined) throw new Error('The contract has no two records');
    expect((await decide(call, 'not_same', 'contract', [first, second])).status).toBe(200);
    await page.clock.fastForward(20_000);
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText(/Only platform_. has it/).waitFor({ state: 'attached' });
    await cancelled();
  });

  it('is not parted before the person sees what that does', async () => {
    const { caller, contract } = await connected();
    const { page } = await browser.open(app.url, { at: `#/objects/${contract}`, key: caller.key });
    const release = await holdBack(page, '/api/v1/reconciliation/decisions');
    await page.getByRole('button', { name: 'Part these two …' }).click();
    await explain(page);
    expect(await dialog(page).getByRole('button', { name: 'Part them' }).isDisabled()).toBe(true);
    await release();
    await dialog(page)
      .getByText(/^Dry run:/)
      .waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Part them' }).isDisabled()).toBe(false);
  });

  it('shows an earlier time from its history, and offers no write there', async () => {
    const { caller, contract } = books;
    const { page } = await browser.open(app.url, {
      at: `#/objects/${contract}?view=history`,
      key: caller.key,
    });
    const entries = page.getByRole('list', { name: 'History, newest first' });
    await entries.getByText('Began to differ: number.').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await entries
      .getByRole('link', { name: /^as of then/ })
      .last()
      .click();
    await page.getByText(/^◷ As it was known at/).waitFor();
    // The day that the form has is that of the moment, which stays.
    const { hash } = new URL(page.url());
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('as_of')).toBe(
      new URLSearchParams(hash.split('?')[1]).get('as_of'),
    );
    await page.getByText('Only platform_a').waitFor({ state: 'detached' });
    await fields(page)
      .getByRole('row', { name: /^title/ })
      .waitFor();
    expect(await page.getByRole('button', { name: /^(Keep|Take)/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Evidence of the link' }).click();
    await page.getByText(/^It has one record/).waitFor();
    await page.getByRole('link', { name: 'Show it as it is now' }).click();
    await page.getByText('Their keys are equal, and occur once on each platform').waitFor();
  });

  it('takes the focus from the object before, and shows nothing of that one', async () => {
    const { body } = await books.call.get('/objects?q=INV&entity_type=invoice&limit=2');
    const [one, other] = (body.data as { canonical_id: string }[]).map(({ canonical_id: id }) => id);
    const { page } = await browser.open(app.url, {
      at: `#/objects/${one}?view=history`,
      key: books.caller.key,
    });
    await page.getByRole('list', { name: /^History/ }).waitFor();
    await show(page, `/objects/${other}`);
    // Both have been read by now, but for the history of this one.
    await show(page, `/objects/${one}?view=history`);
    await page.getByRole('link', { name: 'Raw records' }).focus();
    const release = await holdBack(page, `/api/v1/objects/${other}/history`);
    await page.evaluate(`location.hash = '/objects/${other}?view=history'`);
    await page
      .locator('dd code')
      .getByText(other ?? '', { exact: true })
      .waitFor();
    expect(await page.getByRole('list', { name: /^History/ }).count()).toBe(0);
    await page.locator('h1:focus').waitFor();
    await release();
  });

  it('has its history in pages of 50, with readings that changed no value in one line', async () => {
    const { caller, contract } = books;
    const limits: (string | null)[] = [];
    const { page } = await browser.open(app.url, {
      at: `#/objects/${contract}?view=history`,
      key: caller.key,
      before: (page) =>
        page.route(`**/api/v1/objects/${contract}/history?*`, async (route) => {
          const query = new URL(route.request().url()).searchParams;
          limits.push(query.get('limit'));
          if (query.has('cursor'))
            return route.continue({
              url: route
                .request()
                .url()
                .replace(/&cursor=.*/, ''),
            });
          const reading = (second: number) => ({
            at: `2026-01-01T00:00:0${second}.000000Z`,
            canonical_id: contract,
            change: 'changed',
            origin: { type: 'run', platform: 'platform_a' },
            fields: [{ field: 'updated_at', before: 'x', after: 'y' }],
          });
          return route.fulfill({ json: { data: [reading(3), reading(2), reading(1)], next_cursor: 'next' } });
        }),
    });
    await page.getByText('3 readings without a change of a value').waitFor();
    expect(await page.getByText('platform_a was read').first().isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Began to differ: number.').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('3 readings without a change of a value').waitFor();
    expect(new Set(limits)).toEqual(new Set(['50']));
  });

  it('says of an empty page of its history that the search goes on, and only of the last that nothing is kept', async () => {
    const { caller, contract } = books;
    const { page } = await browser.open(app.url, {
      at: `#/objects/${contract}?view=history`,
      key: caller.key,
      before: (page) =>
        page.route(`**/api/v1/objects/${contract}/history?*`, (route) => {
          const isLast = new URL(route.request().url()).searchParams.has('cursor');
          return route.fulfill({ json: { data: [], next_cursor: isLast ? null : 'next' } });
        }),
    });
    const nothing = page.getByText('Nothing is kept of its history: it is older than what is kept.');
    await page.getByText('None on this page. The search goes on with the next one.').waitFor();
    expect(await nothing.count()).toBe(0);
    await page.getByRole('button', { name: 'Next' }).click();
    await nothing.waitFor();
  });

  it('has its raw records with numbers as they are sent', async () => {
    const { caller, contract } = books;
    const { page } = await browser.open(app.url, {
      at: `#/objects/${contract}?view=records`,
      key: caller.key,
      before: (page) =>
        page.route(
          (url) => url.pathname === `/api/v1/objects/${contract}`,
          async (route) => {
            const response = await route.fetch();
            const body = (await response.text()).replace(
              '"platform_data":{',
              '"platform_data":{"x":90071992547409.91,"y":1.10,"z":1234567890123456789,"<img src=x>":"<b>",',
            );
            await route.fulfill({ response, body });
          },
        ),
    });
    const record = page.getByRole('region', { name: /^platform_a \d+$/ });
    await record.getByText('"x": 90071992547409.91').waitFor();
    const text = await record.innerText();
    expect(text).toContain('"y": 1.10,\n  "z": 1234567890123456789,\n  "<img src=x>": "<b>"');
    expect(await page.locator('img').count()).toBe(0);
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('offers no settling to a key that may only read, and says where nothing would be sent', async () => {
    const { caller, call } = books;
    const { body } = await call.get('/objects?q=SC-001&entity_type=contract&status=completed');
    const id: string = body.data[0].canonical_id;
    const { page } = await browser.open(app.url, { at: `#/objects/${id}`, key: caller.key });
    await page.getByRole('button', { name: 'Keep platform_a for status' }).click();
    await page.getByText('Nothing would be sent.').waitFor();
    await page.getByText(/status is left: platform_b does not let status be written/).waitFor();
    await me(page, (key) => (key.permissions = ['read']));
    await page.reload();
    await fields(page).getByText('≠ differs').waitFor();
    expect(await page.getByRole('button', { name: /^(Keep|Take)/ }).count()).toBe(0);
  });
});
