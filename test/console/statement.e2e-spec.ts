import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { fc, seed } from '../../libs/mapper/src/testing/property';
import { api } from '../support/app/api';
import type { Caller, RunningApp } from '../support/app/app';
import { compared } from '../support/customers/compared';
import { startConsole } from '../support/console/console-app';
import { enter, findingsInBothSchemes, withBrowser } from '../support/console/console-browser';
import { holdBack, show } from '../support/console/console-page';
import { GivenRecords, record } from '../support/platforms/given-records';
import { latch } from '../support/this-process/latch';

jest.setTimeout(90_000);

const browser = withBrowser();
const sources = new GivenRecords();
let app: RunningApp;
let caller: Caller;
beforeAll(async () => {
  app = await startConsole({ given: sources });
  caller = await app.openSession();
  const call = api(app.url, caller.key);
  for (const platform of ['platform_a', 'platform_b']) await call.post('/connect', { platform });
  await complete(caller);
});
afterAll(() => app.close());

interface Sum {
  amount: number;
  currency: string;
}

interface Statement {
  as_of: string;
  currency: string;
  types: {
    entity_type: string;
    totals: null | {
      from: { sum: Sum };
      to: { sum: Sum };
      lines: { amount: Sum }[];
    };
  }[];
}

/** The statement, once the comparisons have followed the last connect. */
function complete({ key }: Caller): Promise<Statement> {
  return compared(api(app.url, key));
}

/** Lets the page meet a statement that was changed on its way. */
async function changed(page: Page, change: (statement: Statement) => void): Promise<void> {
  await page.route(
    (url) => url.pathname === '/api/v1/reconciliation',
    async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: Statement };
      change(body.data);
      await route.fulfill({ response, json: body });
    },
  );
}

const invoicesOf = (statement: Statement) => {
  const totals = statement.types.find((type) => type.entity_type === 'invoice')?.totals;
  if (totals === null || totals === undefined) throw new Error('The statement has no totals of invoices');
  return totals;
};

/** Amounts of a table, back in minor units of USD. */
async function amountsOf(page: Page, name: RegExp): Promise<number[]> {
  const texts = await page.getByRole('table', { name }).locator('tbody td:nth-child(3)').allInnerTexts();
  return texts.map((text) => Number(text.replace('−', '-').replace(/[+,.]/g, '')));
}

describe('the statement', () => {
  it('has the figures of the API, whose lines lead from one sum to the other', async () => {
    const { page } = await browser.open(app.url, { key: caller.key });
    const invoices = page.getByRole('region', { name: 'Invoices', exact: true });
    await invoices.waitFor();
    const { from, to, lines } = invoicesOf(await complete(caller));
    const shown = await invoices.locator('.bridge tbody td:nth-child(3)').allInnerTexts();
    const minor = shown.map((text) => Number(text.replace('−', '-').replace(/[+,.]/g, '')));
    expect(minor[0]).toBe(from.sum.amount);
    expect(minor.at(-1)).toBe(to.sum.amount);
    expect(minor.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBe(to.sum.amount);
    expect(minor).toHaveLength(2 + lines.filter(({ amount }) => amount.amount !== 0).length);
    await invoices.getByText('Not tied out').waitFor();
    expect(await invoices.locator('svg').count()).toBeGreaterThan(3);
    await page.getByText('Complete: both platforms were read wholly').waitFor();
    await page.getByText('1 USD = 3.64 QAR').waitFor();
    // Sandboxes that were read wholly a moment ago.
    await page.getByText(/^38 records, /).waitFor();
    expect(await page.getByRole('button', { name: /^Sync now/ }).count()).toBe(0);
  });

  it.each([
    ['JPY', 0],
    ['KWD', 3],
    ['IQD', 3],
    ['UYW', 4],
  ])(
    'writes amounts in %s with %d decimals, and they add up whatever they are',
    async (currency, decimals) => {
      const amount = fc.integer({ min: -(2 ** 45), max: 2 ** 45 });
      const [[first, lines] = [0, []]] = fc.sample(
        fc.tuple(amount, fc.array(amount, { minLength: 4, maxLength: 4 })),
        {
          numRuns: 1,
          seed,
        },
      );
      const { page } = await browser.open(app.url, {
        key: caller.key,
        before: (page) =>
          changed(page, (statement) => {
            const totals = invoicesOf(statement);
            statement.currency = currency;
            totals.from.sum = { amount: first, currency };
            totals.lines.forEach((line, index) => (line.amount = { amount: lines[index] ?? 0, currency }));
            totals.to.sum = { amount: lines.reduce((sum, one) => sum + one, first), currency };
          }),
      });
      const invoices = page.getByRole('region', { name: 'Invoices', exact: true });
      await invoices.waitFor();
      const shown = await invoices.locator('.bridge tbody td:nth-child(3)').allInnerTexts();
      for (const text of shown) expect(text.split('.')[1]?.length ?? 0).toBe(decimals);
      const minor = shown.map((text) => Number(text.replace('−', '-').replace(/[+,.]/g, '')));
      expect(minor).toEqual([first, ...lines.filter(Boolean), lines.reduce((sum, one) => sum + one, first)]);
    },
  );

  it('says that changed figures do not foot, and draws nothing of them', async () => {
    const { page } = await browser.open(app.url, {
      key: caller.key,
      before: (page) =>
        changed(page, (statement) => {
          invoicesOf(statement).to.sum.amount += 1;
        }),
    });
    const invoices = page.getByRole('region', { name: 'Invoices', exact: true });
    await invoices.getByText('These figures do not foot.').waitFor();
    await invoices.getByText('come to −0.01 USD more than the second sum').waitFor();
    expect(await invoices.locator('svg').count()).toBe(0);
    expect(await invoices.getByText('Not tied out').count()).toBe(0);
    await page.getByRole('row', { name: /^Invoices.*Does not foot/ }).waitFor();
    // The others still show theirs.
    expect(
      await page.getByRole('region', { name: 'Payments', exact: true }).locator('svg').count(),
    ).toBeGreaterThan(0);
  });

  it('adds and shows sums beyond 2^53 to the last digit', async () => {
    const rest: string[] = [];
    const { page } = await browser.open(app.url, {
      key: caller.key,
      before: (page) =>
        page.route(
          (url) => url.pathname === '/api/v1/reconciliation',
          async (route) => {
            const answer = (await (await route.fetch()).json()) as { data: Parameters<typeof invoicesOf>[0] };
            const { from, to } = invoicesOf(answer.data);
            for (const side of [from, to]) {
              rest.push(String(BigInt(side.sum.amount) + 10n ** 18n));
              Object.assign(side.sum, { amount: `exactly ${rest.at(-1) ?? ''}` });
            }
            const body = JSON.stringify(answer).replace(/"exactly (\d+)"/g, '$1');
            await route.fulfill({ body, contentType: 'application/json' });
          },
        ),
    });
    const invoices = page.getByRole('region', { name: 'Invoices', exact: true });
    await invoices.locator('svg').first().waitFor();
    const shown = await invoices.locator('.bridge tbody td:nth-child(3)').allInnerTexts();
    const digits = [shown[0], shown.at(-1)].map((text) => text?.replace(/\D/g, ''));
    expect(digits).toEqual(rest.slice(0, 2));
  });

  it('stands in the address with its time, its cut-off and its currency', async () => {
    const { page, requests } = await browser.open(app.url, { key: caller.key });
    await page.getByRole('table', { name: /^All types/ }).waitFor();
    await page.getByLabel('Documents through').fill('2026-01-31');
    await page.getByLabel('Currency').selectOption('QAR');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('All types, amounts in QAR').waitFor();
    await page.getByText('Plus: dated after the cut-off, platform_b').first().waitFor();
    expect(new URL(page.url()).hash).toBe('#/?through=2026-01-31&currency=QAR');
    expect(new URL(page.url()).search).toBe('');
    await page.goBack();
    await page.getByText('All types, amounts in USD').waitFor();
    expect(requests.some((one) => one.includes('through'))).toBe(false);
    expect(await amountsOf(page, /^All types/)).toHaveLength(5);
  });

  it('of an earlier day says what was connected then, and nothing of the readings of now', async () => {
    const today = (await complete(caller)).as_of.slice(0, 10);
    const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
    const { page } = await browser.open(app.url, { at: '#/?currency=QAR', key: caller.key });
    await page.getByText(/^38 records, /).waitFor();
    // The day that is not over is refused by the form, before the service has to.
    const day = page.getByLabel('As of the end of');
    await day.fill(today);
    await page.getByRole('button', { name: 'Show' }).click();
    expect(new URL(page.url()).hash).toBe('#/?currency=QAR');
    await day.fill(yesterday);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('heading', { name: 'No platform was connected then' }).waitFor();
    await page.getByText('Incomplete. At that time:').waitFor();
    expect(await page.locator('.reading').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Connect a platform' }).count()).toBe(0);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'The statement as it is now' }).click();
    await page.getByText('All types, amounts in QAR').waitFor();
    expect(new URL(page.url()).hash).toBe('#/?currency=QAR');
  });

  it('is of one type and one project, by the address, and says how old the oldest open item is', async () => {
    const { page } = await browser.open(app.url, { key: caller.key });
    const { data: cases } = (await api(app.url, caller.key).get('/reconciliation/cases?sort=age&limit=1'))
      .body as {
      data: { age_days: number; project_id: string }[];
    };
    await page.getByText(`Oldest open item: ${cases[0]?.age_days} days`).waitFor();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('payment');
    const { data: projects } = (
      await api(app.url, caller.key).get('/objects?platform=platform_a&entity_type=project&limit=100')
    ).body as { data: { canonical_id: string; data: { name: string } }[] };
    const [project] = projects;
    if (project === undefined) throw new Error('There is no project');
    const field = page.getByRole('combobox', { name: 'Project' });
    await field.fill(project.data.name);
    await page.locator(`datalist option[value="${project.canonical_id}"]`).waitFor({ state: 'attached' });
    // Words of a single project stand for it, and the form refuses words of none.
    const { hash } = new URL(page.url());
    await field.fill('no such project');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(new URL(page.url()).hash).toBe(hash);
    await field.fill(project.data.name);
    await page.locator('datalist option').first().waitFor({ state: 'attached' });
    expect(await page.locator('datalist option').count()).toBe(1);
    await field.press('Enter');
    await page.getByText('Payments only').waitFor();
    expect(new URL(page.url()).hash).toBe(`#/?entity_type=payment&project_id=${project.canonical_id}`);
    await page.getByText(`${project.data.name} (${project.canonical_id})`).waitFor();
    expect(await field.inputValue()).toBe(project.canonical_id);
    expect(
      await page
        .getByRole('table', { name: /^All types/ })
        .locator('tbody tr')
        .count(),
    ).toBe(1);
  });

  it('says how old the oldest item of its figures is, also of those that came when it was read again', async () => {
    let isComparing = true;
    const { page } = await browser.open(app.url, {
      key: caller.key,
      before: async (page) => {
        await changed(page, (statement) => {
          if (!isComparing) return;
          const reasons = [{ reason: 'comparing', platform: null, detail: 'Being compared' }];
          Object.assign(statement, { complete: false, digest: 'so far', reasons });
        });
        await page.route(
          (url) => url.pathname === '/api/v1/reconciliation/cases',
          async (route) => {
            const response = await route.fetch();
            const body = (await response.json()) as { data: object[] };
            await route.fulfill({ response, json: isComparing ? { ...body, data: [] } : body });
          },
        );
      },
    });
    await page.getByText('Oldest open item: none').waitFor();
    isComparing = false;
    await page.getByText('Complete: both platforms were read wholly').waitFor();
    await page.getByText(/^Oldest open item: \d+ days?$/).waitFor();
  });

  it('has the oldest item and the cases of what shows, also while another one is read', async () => {
    const { page } = await browser.open(app.url, { key: caller.key });
    const oldest = page.getByText(/^Oldest open item: \d+ days?$/);
    const line = page.getByRole('link', { name: 'On platform_a only' }).first();
    await oldest.waitFor();
    const href = await line.getAttribute('href');
    const release = await holdBack(page, '/api/v1/reconciliation');
    await page.getByLabel('As of the end of').fill('2020-01-01');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('.outdated').waitFor();
    await page.getByText('What you asked for is being read: this is what you saw before.').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    expect(await oldest.count()).toBe(1);
    expect(await line.getAttribute('href')).toBe(href);
    await release();
  });

  it('says which of the facts beside its figures could not be read', async () => {
    const { page } = await browser.open(app.url, {
      failures: 'expected',
      key: caller.key,
      before: (page) =>
        page.route(
          ({ pathname }) => pathname === '/api/v1/connections' || pathname === '/api/v1/reconciliation/cases',
          (route) =>
            route.fulfill({
              status: 400,
              json: { error: { type: 'VALIDATION_ERROR', message: 'Not now', request_id: 'req_1' } },
            }),
        ),
    });
    await page.getByText('Oldest open item: could not be read').waitFor();
    expect(await page.locator('.reading dd').allInnerTexts()).toEqual([
      'could not be read',
      'could not be read',
    ]);
  });

  it('says of no other digest that it is copied', async () => {
    let digit = '1';
    const { page, context } = await browser.open(app.url, {
      key: caller.key,
      before: (page) =>
        changed(page, (statement) => Object.assign(statement, { digest: `sha256:${digit.repeat(64)}` })),
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copy = page.getByRole('button', { name: 'Copy the digest' });
    await copy.click();
    await copy.filter({ hasText: 'Copied' }).waitFor();
    digit = '2';
    await page.getByLabel('Documents through').fill('2026-01-31');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText(`sha256:${'2'.repeat(64)}`).waitFor();
    expect(await copy.innerText()).toBe('Copy');
  });

  it('is a file with the same figures', async () => {
    const { page } = await browser.open(app.url, { key: caller.key });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^statement-\d{4}-\d{2}-\d{2}\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    expect(text.startsWith('\uFEFF')).toBe(true);
    const digest = await page.locator('code.digest').innerText();
    expect(text).toContain(digest);
    const sum = invoicesOf(await complete(caller)).from.sum.amount;
    expect(text).toContain((sum / 100).toFixed(2));
  });

  it('is a file of what shows, also while another one is read', async () => {
    const { page } = await browser.open(app.url, { key: caller.key });
    const digest = await page.locator('code.digest').innerText();
    const asked: string[] = [];
    const release = await holdBack(page, '/api/v1/reconciliation');
    await page.route(
      (url) => url.pathname === '/api/v1/reconciliation',
      async (route) => {
        if (route.request().headers()['accept'] !== 'text/csv') return route.fallback();
        asked.push(route.request().url());
        await route.continue();
      },
    );
    await page.getByRole('combobox', { name: 'Type' }).selectOption('invoice');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('.outdated').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(asked).toHaveLength(1);
    expect(await readFile(await file.path(), 'utf8')).toContain(digest);
    await release();
  });

  it('prints on landscape pages whose tables repeat their heads, without what only a screen needs', async () => {
    const { page } = await browser.open(app.url, { key: caller.key });
    await page.getByRole('table', { name: /^All types/ }).waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'CSV' }).isVisible()).toBe(false);
    await page.locator('dt', { hasText: /^Customer$/ }).waitFor();
    await page.getByText('Request', { exact: true }).waitFor();
    const display = `getComputedStyle(document.querySelector('thead')).display`;
    expect(await page.evaluate(display)).toBe('table-header-group');
    await page.getByText('Nobody has signed exactly these figures.').waitFor();
    expect(await page.getByRole('link', { name: 'All sign-offs' }).isVisible()).toBe(false);
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString('latin1')).toMatch(/\/MediaBox \[0 0 841\.\d+ 594\.\d+\]/);
  });

  it('keeps what it read while the service is away, says from when it is, and tries again', async () => {
    const { page } = await browser.open(app.url, { failures: 'expected', key: caller.key });
    await page.getByRole('table', { name: /^All types/ }).waitFor();
    await page.route('**/api/v1/reconciliation*', (route) => route.abort());
    await page.getByLabel('Currency').selectOption('QAR');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('The service cannot be reached.').waitFor();
    expect(await page.locator('.note.error code').innerText()).toMatch(/^req_/);
    await page.unroute('**/api/v1/reconciliation*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('All types, amounts in QAR').waitFor();
    expect(await page.getByText('The service cannot be reached.').count()).toBe(0);
  });

  it('says once that the key could not be looked up, in place of a screen, and tries again', async () => {
    const json = { success: false, error: { type: 'BAD_REQUEST', message: 'Not now.', request_id: 'req_x' } };
    const { page, requests } = await browser.open(app.url, {
      failures: 'expected',
      key: caller.key,
      before: (page) => page.route('**/api/v1/me', (route) => route.fulfill({ status: 400, json })),
    });
    await page.getByRole('alert').getByText('Not now.').waitFor();
    await show(page, '/cases');
    expect(requests.filter((call) => call.endsWith('/me'))).toHaveLength(1);
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.unroute('**/api/v1/me');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('table', { name: /cases, oldest first$/ }).waitFor();
    expect(await page.getByText('Not now.').count()).toBe(0);
  });

  it('says what is missing while one platform is not connected', async () => {
    const alone = await app.openSession();
    await api(app.url, alone.key).post('/connect', { platform: 'platform_a' });
    const { page } = await browser.open(app.url, { key: alone.key });
    await page.getByText('Incomplete.').waitFor();
    await page
      .getByText(/platform_b is not connected/)
      .first()
      .waitFor();
    // It stands below every type.
    await page.getByText('Only a complete statement can be signed').waitFor();
    expect(
      await page
        .getByText('Tied out', { exact: false })
        .filter({ hasText: /^● Tied out$/ })
        .count(),
    ).toBe(0);
  });

  it('offers to read a platform that is live or was read long ago, shows how far that is, and follows', async () => {
    const { page, requests } = await browser.open(app.url, { own: true });
    await page.clock.install();
    await page.reload();
    let isReading = false;
    const { opened: ended, open: end } = latch();
    // Both are sandboxes that were read just now, so the page meets others.
    await page.route('**/api/v1/connections', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as {
        data: { connections: { mode: string; last_synced_at: string; sync: object }[] };
      };
      const [a, b] = body.data.connections;
      if (a === undefined || b === undefined) throw new Error('Two platforms are connected');
      a.mode = 'live';
      if (isReading) Object.assign(a.sync, { status: 'running', records_read: 1000 });
      b.last_synced_at = '2020-01-01T00:00:00.000Z';
      await route.fulfill({ response, json: body });
    });
    await page.route('**/api/v1/connect', async (route) => {
      isReading = true;
      await ended;
      isReading = false;
      await route.continue();
    });
    await enter(page, caller.key);
    const syncs = ['platform_a', 'platform_b'].map((platform) =>
      page.getByRole('button', { name: `Sync now ${platform}` }),
    );
    const [first] = syncs;
    await first?.click();
    await page.getByText(/^◌ Reading for/).waitFor();
    await page.clock.fastForward(1500); // Then the page looks again.
    await page.getByText(/Reading for .*, 1,000 records so far/).waitFor();
    for (const sync of syncs) expect(await sync.isDisabled()).toBe(true);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    const statements = () => requests.filter((one) => one === 'GET /api/v1/reconciliation').length;
    const before = statements();
    end();
    const said = page.getByRole('status').getByText('platform_a was read: 38 records.');
    await said.waitFor({ state: 'attached' });
    await page.getByText(/Reading for/).waitFor({ state: 'detached' });
    await page.getByText(/^38 records, /).waitFor();
    for (const sync of syncs) expect(await sync.isEnabled()).toBe(true);
    expect(statements()).toBeGreaterThan(before);
    // The figures of an earlier time stay what they are.
    const { as_of } = await complete(caller);
    await show(page, `/?as_of=${as_of}&currency=QAR`);
    await page.getByText('All types, amounts in QAR').waitFor();
    expect(await page.getByText(/^38 records, /).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Sync now/ }).count()).toBe(0);
  });

  it('of an earlier time has the name that its project had then', async () => {
    const own = await app.openSession();
    const call = api(app.url, own.key);
    const read = async (name: string): Promise<Statement> => {
      sources.give(own.customerId, 'platform_a', [record('project', { id: 1, project_number: 'P-1', name })]);
      await call.post('/connect', { platform: 'platform_a' });
      return complete(own);
    };
    sources.give(own.customerId, 'platform_b', []);
    await call.post('/connect', { platform: 'platform_b' });
    const { as_of: then } = await read('Harbour');
    await read('Harbour, second phase');
    const { body } = await call.get('/objects?platform=platform_a&entity_type=project');
    const [{ canonical_id: id }] = body.data as [{ canonical_id: string }];
    const { page } = await browser.open(app.url, { at: `#/?project_id=${id}`, key: own.key });
    const named = (name: RegExp) => page.locator('dd.name').getByText(name).waitFor();
    await named(/Harbour, second phase \(/);
    await show(page, `/?project_id=${id}&as_of=${then}`);
    await named(/Harbour \(/);
  });

  it('shows a hostile name as text, and the time zone of the customer', async () => {
    const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    const { page } = await browser.open(app.url, {
      key: caller.key,
      before: (page) =>
        page.route('**/api/v1/me', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { data: { customer: { name: string; time_zone: string } } };
          Object.assign(body.data.customer, { name, time_zone: 'Asia/Qatar' });
          await route.fulfill({ response, json: body });
        }),
    });
    await page.getByRole('banner').getByText(name).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('Statement · Console');
    // In which time zone its moments are stands beside them, also on paper.
    const zone = page.getByText('Asia/Qatar', { exact: true });
    await zone.waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await zone.isVisible()).toBe(true);
    await page.emulateMedia({ media: null });
  });
});
