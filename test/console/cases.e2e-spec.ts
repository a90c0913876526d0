import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { api } from '../support/app/api';
import type { Caller, RunningApp } from '../support/app/app';
import { compared } from '../support/customers/compared';
import { startConsole } from '../support/console/console-app';
import {
  enter,
  expectFocusOn,
  findingsInBothSchemes,
  focusedName,
  withBrowser,
} from '../support/console/console-browser';
import { holdBack } from '../support/console/console-page';
import { GivenRecords, record } from '../support/platforms/given-records';
import { latch } from '../support/this-process/latch';

jest.setTimeout(90_000);

const browser = withBrowser();
const sources = new GivenRecords();
let app: RunningApp;
let caller: Caller;
beforeAll(async () => {
  app = await startConsole({ given: sources });
  caller = await connected();
});
afterAll(() => app.close());

/** A demo session whose platforms are read and compared. */
async function connected(): Promise<Caller> {
  const opened = await app.openSession();
  const call = api(app.url, opened.key);
  for (const platform of ['platform_a', 'platform_b']) await call.post('/connect', { platform });
  await compared(call);
  return opened;
}

interface Statement {
  types: { totals: { lines: { cause: string; objects: number; amount: { amount: number } }[] } | null }[];
}

interface Listed {
  data: { id: string; label: string | null; state: string; owner: string | null; difference: unknown }[];
  facets: { total: number; kind: { value: string; count: number }[] };
  next_cursor: string | null;
}

async function listed(query = '', { key } = caller): Promise<Listed> {
  return (await api(app.url, key).get(`/reconciliation/cases?limit=500${query}`)).body as Listed;
}

const countText = (count: number) => count.toLocaleString('en');
const casesTable = (page: Page) => page.getByRole('region', { name: 'Cases' }).getByRole('table');
const rowsOf = (page: Page) => casesTable(page).locator('tbody tr');

/** A time zone in which a moment is of another day than in UTC, and that day. */
function placeOfAnotherDay(moment: string): { zone: string; day: string } {
  const isLate = new Date(moment).getUTCHours() >= 11;
  const day = new Date(Date.parse(moment) + (isLate ? 14 : -11) * 3_600_000).toISOString().slice(0, 10);
  return { zone: isLate ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago', day };
}

/** Lets the page meet a customer of a time zone, from a time on. */
async function customerIn(page: Page, zone: string, from: Promise<void> = Promise.resolve()): Promise<void> {
  await page.route('**/api/v1/me', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { customer: { time_zone: string } } };
    body.data.customer.time_zone = zone;
    await from;
    await route.fulfill({ response, json: body });
  });
}

/** The page of a list that a request asks for, in the words of {@link pagesOf}. */
const pageOf = (route: Route) => Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);

/**
 * Lets the page meet a list of so many pages. They have few rows, as a screen takes its time over each; the console counts a page as
 * a full one wherever another one follows.
 */
async function pagesOf(
  page: Page,
  pages: number,
  { data, facets }: Listed,
  { rows = 3, answer = () => undefined }: PagesMet = {},
): Promise<void> {
  await page.route(
    (url) => url.pathname === '/api/v1/reconciliation/cases',
    async (route) => {
      const at = pageOf(route);
      const instead = answer(route, at);
      if (instead !== undefined) return instead;
      const json = {
        data: Array.from({ length: rows }, (_, index) => ({ ...data[0], id: `case_${at}_${index}` })),
        facets: { ...facets, total: pages * 100 },
        next_cursor: at + 1 < pages ? `${at + 1}` : null,
      };
      await route.fulfill({ json });
    },
  );
}

interface PagesMet {
  /** Rows of a page. */
  readonly rows?: number;
  /** What takes the place of the answer with a page; undefined where nothing does. */
  readonly answer?: (route: Route, page: number) => Promise<void> | undefined;
}

/** The second page of a list is refused for as long as it is said to be away. */
function refusingSecond(isAway: () => boolean): PagesMet {
  const json = { error: { type: 'VALIDATION_ERROR', message: 'Not now', request_id: 'req_1' } };
  return {
    answer: (route, page) => (page === 1 && isAway() ? route.fulfill({ status: 400, json }) : undefined),
  };
}

async function expectDay(page: Page, day: string): Promise<void> {
  await page.locator(`input[name="as_of"][value="${day}"]`).waitFor();
  expect(await page.getByLabel('As of the end of').inputValue()).toBe(day);
}

describe('cases', () => {
  it('are opened from a line of the statement, and are those behind it', async () => {
    const { page } = await browser.open(app.url, { key: caller.key });
    const invoices = page.getByRole('region', { name: 'Invoices', exact: true });
    await invoices.locator('.bridge').getByRole('link', { name: 'Less: on platform_a only' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/cases?entity_type=invoice&kind=only_on&platform=platform_a');
    const { facets, data } = await listed('&entity_type=invoice&kind=only_on&platform=platform_a');
    await page.getByText(new RegExp(`^${facets.total} cases?, oldest first$`)).waitFor();
    expect(await rowsOf(page).count()).toBe(data.length);
  });

  it('of values that differ are a step from the others by which objects differ', async () => {
    const { key, customerId } = await app.openSession();
    const guid = (last: number) => `0d4b7c3e-7b6e-ee11-8df1-00000000000${last}`;
    const onA = { id: 1, invoice_number: 'I-1', project_id: 1, summary: { current_payment_due: '5.00' } };
    sources.give(customerId, 'platform_a', [
      ...[1, 2].map((id) => record('project', { id, project_number: `P-${id}` })),
      record('invoice', onA),
    ]);
    const onB = { externalDocumentNumber: 'I-1', shortcutDimension1Code: 'P-2', totalAmountIncludingTax: 5 };
    sources.give(customerId, 'platform_b', [
      ...[1, 2].map((id) => record('project', { id: guid(id), number: `P-${id}` })),
      record('invoice', { id: guid(3), currencyCode: 'USD', ...onB }),
    ]);
    const call = api(app.url, key);
    for (const platform of ['platform_a', 'platform_b']) await call.post('/connect', { platform });
    await compared(call);
    const { page } = await browser.open(app.url, { at: '#/?entity_type=invoice&through=2026-06-30', key });
    await page.getByRole('link', { name: 'Differ between the platforms' }).click();
    await page.getByText('No open case is like this.').waitFor();
    await page.getByRole('link', { name: 'Linked record in another project' }).click();
    await rowsOf(page).filter({ hasText: 'I-1' }).nth(1).waitFor();
    expect(new URL(page.url()).hash).toBe(
      '#/cases?kind=other_project&entity_type=invoice&through=2026-06-30',
    );
  });

  it('are chosen by facets, whose counts are those of the list; the choice stands in the address', async () => {
    const { page, requests } = await browser.open(app.url, { at: '#/cases', key: caller.key });
    const { facets } = await listed();
    await page.getByText(`${facets.total} cases, oldest first`, { exact: true }).waitFor();
    const count = facets.kind.find(({ value }) => value === 'only_on')?.count ?? 0;
    await page.getByRole('link', { name: new RegExp(`^On one platform only ?${count}$`) }).click();
    await page.getByText(`${count} cases, oldest first`, { exact: true }).waitFor();
    expect(await rowsOf(page).count()).toBe(count);
    await page.getByLabel('Order').selectOption('amount');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText(`${count} cases, largest difference first`, { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/cases?kind=only_on&sort=amount');
    const first = (await listed('&kind=only_on&sort=amount')).data[0];
    expect(await rowsOf(page).first().innerText()).toContain(first?.label ?? '');
    await page.getByRole('link', { name: /chosen; leave it out/ }).click();
    await page.getByText(`${facets.total} cases, largest difference first`, { exact: true }).waitFor();
    expect(requests.some((one) => one.includes('only_on'))).toBe(false);
  });

  it('are of the moment in the address until another day is asked for, by days in the time zone of the customer', async () => {
    const { as_of: moment } = (await compared(api(app.url, caller.key))) as { as_of: string };
    const { zone, day } = placeOfAnotherDay(moment);
    const { page } = await browser.open(app.url, {
      at: `#/cases?as_of=${moment}`,
      key: caller.key,
      before: (page) => customerIn(page, zone),
    });
    await page.getByText(/cases, oldest first$/).waitFor();
    await expectDay(page, day);
    await page.getByLabel('Order').selectOption('amount');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText(/cases, largest difference first$/).waitFor();
    const { hash } = new URL(page.url());
    expect(new URLSearchParams(hash.split('?')[1]).get('as_of')).toBe(moment);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^CSV of these/ }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`cases-${day}.csv`);
  });

  it('are asked for by the day of the customer once its time zone is known, however late that is', async () => {
    const { as_of: moment } = (await compared(api(app.url, caller.key))) as { as_of: string };
    const { zone, day } = placeOfAnotherDay(moment);
    const { body } = await api(app.url, caller.key).get('/objects?q=PO-DCH&entity_type=contract');
    for (const path of ['cases', '', `objects/${body.data[0].canonical_id}`]) {
      const { opened: known, open: know } = latch();
      const { page } = await browser.open(app.url, {
        at: `#/${path}?as_of=${moment}`,
        key: caller.key,
        before: (page) => customerIn(page, zone, known),
      });
      await expectDay(page, moment.slice(0, 10));
      know();
      await expectDay(page, day);
    }
  });

  it('are gone through by the arrows, and a slash leads to the search', async () => {
    const { page } = await browser.open(app.url, { at: '#/cases', key: caller.key });
    await rowsOf(page).nth(2).waitFor();
    await expectFocusOn(page, 'Cases');
    await page.keyboard.press('/');
    await page.keyboard.type('a/b');
    expect(await page.getByRole('searchbox').inputValue()).toBe('a/b');
    await page.getByRole('searchbox').fill('');
    const labels = await rowsOf(page).locator('th a.text').allInnerTexts();
    // Past the filters: from the search over its button and that of the file to the link.
    for (let steps = 0; steps < 3; steps += 1) await page.keyboard.press('Tab');
    await expectFocusOn(page, 'Skip to the list');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    expect(await focusedName(page)).toBe(labels[0]);
    await page.getByRole('region', { name: 'Cases' }).focus();
    for (const step of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(step);
    expect(await focusedName(page)).toBe(labels[1]);
    await page.keyboard.press('/');
    await page.keyboard.type('INV/2025');
    expect(await page.getByRole('searchbox').inputValue()).toBe('INV/2025');
    // A slash in a field is a slash, and one in the list does nothing once letters are off.
    await page.getByLabel('Letter keys').uncheck();
    await rowsOf(page).nth(0).getByRole('link').first().focus();
    await page.keyboard.press('/');
    expect(await focusedName(page)).toBe(labels[0]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Decide' }).waitFor();
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await page.getByRole('searchbox').fill('CHK-2026');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Objects' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/objects?q=CHK-2026');
  });

  it('of one platform alone are chosen, and come to the sum of their line', async () => {
    const { page } = await browser.open(app.url, {
      at: '#/cases?entity_type=payment&kind=only_on&platform=platform_b',
      key: caller.key,
    });
    const { body } = await api(app.url, caller.key).get('/reconciliation?entity_type=payment');
    const line = (body.data as Statement).types[0]?.totals?.lines.find(
      ({ cause }) => cause === 'only_on_platform_b',
    );
    await page.getByText(/^\d+ cases?, oldest first$/).waitFor();
    const shown = await rowsOf(page).locator('td:nth-child(6)').allInnerTexts();
    const sum = shown.reduce((all, text) => all + Number(text.replace('−', '-').replace(/[^-\d]/g, '')), 0);
    expect(shown.length).toBe(line?.objects);
    expect(sum).toBe(line?.amount.amount);
    expect(await page.getByLabel('Records').inputValue()).toBe('platform_b');
  });

  it('show once it is known what the key may do: no column comes later', async () => {
    const { opened: known, open: know } = latch();
    const { page } = await browser.open(app.url, {
      at: '#/cases',
      key: caller.key,
      own: true,
      before: (page) =>
        page.route(
          (url) => url.pathname === '/api/v1/me',
          (route) => known.then(() => route.fallback()),
        ),
    });
    // The list is there.
    await page.getByRole('button', { name: /^CSV of these/ }).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    know();
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('checkbox', { name: /^Choose/ }).count()).toBe(await rowsOf(page).count());
  });

  it('show ten values of a facet, and the others when they are asked for', async () => {
    const body = await listed();
    // It is the facets that are looked at.
    const data = body.data.slice(0, 3);
    const { page } = await browser.open(app.url, {
      at: '#/cases',
      key: caller.key,
      before: async (page) => {
        const projects = Array.from({ length: 50 }, (_, index) => ({
          value: `proj_${index}`,
          count: 50 - index,
        }));
        await page.route(
          (url) => url.pathname === '/api/v1/reconciliation/cases',
          (route) =>
            route.fulfill({ json: { ...body, data, facets: { ...body.facets, project_id: projects } } }),
        );
      },
    });
    const shown = page.getByRole('region', { name: 'Filters' }).getByRole('link', { name: /^proj_/ });
    await shown.first().waitFor();
    expect(await shown.count()).toBe(10);
    await page.getByText('40 more', { exact: true }).click();
    await shown.nth(49).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByText('40 more', { exact: true }).click();
    await page.waitForFunction('document.querySelectorAll(".facets a[href*=proj_]").length === 10');
  });

  it('come page by page, however many there are', async () => {
    const { data, facets } = await listed();
    const { page } = await browser.open(app.url, {
      at: '#/cases',
      failures: 'expected',
      key: caller.key,
      before: (page) =>
        page.route(
          (url) => url.pathname === '/api/v1/reconciliation/cases',
          async (route) => {
            const second = new URL(route.request().url()).searchParams.get('cursor') === 'second';
            const rows = Array.from({ length: second ? 20 : 100 }, (_, index) => ({
              ...data[0],
              id: `case_${second ? 1 : 0}_${index}`,
            }));
            const json = {
              data: rows,
              facets: { ...facets, total: 100_120 },
              next_cursor: second ? null : 'second',
            };
            await route.fulfill({ json });
          },
        ),
    });
    await page.getByText('1–100 of 100,120').waitFor();
    expect(await page.locator('*').count()).toBeLessThan(5_000);
    expect(await page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('101–120 of 100,120').waitFor();
    expect(await rowsOf(page).count()).toBe(20);
    // A look at a case does not lose the page.
    await page.getByRole('region', { name: 'Cases' }).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await page.getByText('101–120 of 100,120').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('1–100 of 100,120').waitFor();
  });

  it('say which rows show while the next page is read', async () => {
    const list = await listed();
    // The second page never comes.
    const answer: PagesMet['answer'] = (_route, page) => (page === 1 ? Promise.resolve() : undefined);
    const { page } = await browser.open(app.url, {
      at: '#/cases',
      key: caller.key,
      before: (page) => pagesOf(page, 2, list, { answer }),
    });
    await page.getByText('1–3 of 200').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('.outdated').waitFor();
    await page.getByText('1–3 of 200').waitFor();
  });

  it('keep the page that shows when the next one cannot be read, and say so at its end', async () => {
    const list = await listed();
    let isAway = true;
    const { page } = await browser.open(app.url, {
      at: '#/cases',
      failures: 'expected',
      key: caller.key,
      before: (page) =>
        pagesOf(
          page,
          2,
          list,
          refusingSecond(() => isAway),
        ),
    });
    await page.getByText('1–3 of 200').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    const refused = page.getByRole('alert').filter({ hasText: 'Not now' });
    await refused.waitFor();
    expect(await rowsOf(page).count()).toBe(3);
    await page.getByText('1–3 of 200').waitFor();
    expect(await page.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
    const table = await casesTable(page).boundingBox();
    const note = await refused.boundingBox();
    expect((note?.y ?? 0) - (table?.y ?? 0)).toBeGreaterThanOrEqual(table?.height ?? Infinity);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    // The way back is to the page that showed.
    await page.getByRole('region', { name: 'Cases' }).getByRole('link').first().click();
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await page.getByText('1–3 of 200').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await refused.waitFor();
    isAway = false;
    await refused.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('101–103 of 200').waitFor();
    expect(await refused.count()).toBe(0);
  });

  it('stay chosen when a page of their list cannot be read', async () => {
    const list = await listed();
    let isAway = true;
    const { page } = await browser.open(app.url, {
      at: '#/cases',
      failures: 'expected',
      key: caller.key,
      before: (page) =>
        pagesOf(
          page,
          2,
          list,
          refusingSecond(() => isAway),
        ),
    });
    await rowsOf(page).first().getByRole('checkbox').check();
    await page.getByText('1 chosen').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Not now').waitFor();
    isAway = false;
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('101–103 of 200').waitFor();
    expect(await page.getByText('1 chosen').count()).toBe(1);
    // Another list begins without.
    await page.getByRole('combobox', { name: 'Records' }).selectOption('platform_b');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('1–3 of 200').waitFor();
    expect(await page.getByText('1 chosen').count()).toBe(0);
  });

  it('are chosen up to the number that can be changed at once, which the page says', async () => {
    const list = await listed();
    const { page } = await browser.open(app.url, {
      at: '#/cases',
      key: caller.key,
      before: (page) => pagesOf(page, 21, list, { rows: 25 }),
    });
    const shows = (at: number) =>
      page.getByText(new RegExp(`^${countText(at * 100 + 1)}–.* of 2,100$`)).waitFor();
    for (let at = 0; at < 20; at += 1) {
      await shows(at);
      await page.evaluate(`document.querySelectorAll('#list tbody input').forEach((box) => box.click())`);
      await page.getByText(`${(at + 1) * 25} chosen`).waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
    }
    await shows(20);
    const box = rowsOf(page).first().getByRole('checkbox');
    await box.click();
    expect(await box.isChecked()).toBe(false);
    await page.getByText('No more than 500 can be changed at once').first().waitFor();
    await page
      .getByRole('status')
      .getByText('No more than 500 can be changed at once')
      .waitFor({ state: 'attached' });
  });

  it('are accepted and assigned, several at once, those that were ticked and no others', async () => {
    const own = await connected();
    const { page } = await browser.open(app.url, { at: '#/cases?kind=only_on', key: own.key });
    const { data, facets } = await listed('&kind=only_on', own);
    for (const row of [0, 2]) await rowsOf(page).nth(row).getByRole('checkbox').check();
    await page.getByText('2 chosen').waitFor();
    expect(await page.getByRole('button', { name: 'Add a note …' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Assign …' }).click();
    await page.getByRole('dialog').getByLabel('Owner', { exact: true }).fill('Omar');
    await page.getByRole('button', { name: 'Assign (2 cases)' }).click();
    await rowsOf(page).filter({ hasText: 'Omar' }).nth(1).waitFor();
    for (const row of [0, 2]) await rowsOf(page).nth(row).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Accept …' }).click();
    await page.getByRole('button', { name: 'Accept (2 cases)' }).click(); // Refused: nobody has said why.
    await page.getByLabel('Reason').fill('In transit');
    await page.getByLabel('Decided by').fill('Mariam');
    await page.getByRole('button', { name: 'Accept (2 cases)' }).dblclick();
    await page.getByText(`${facets.total - 2} cases, oldest first`, { exact: true }).waitFor();
    await page.getByRole('status').getByText('2 cases accepted.').waitFor({ state: 'attached' });
    // The buttons went with the choice.
    await expectFocusOn(page, 'Cases');
    const accepted = await listed('&state=accepted', own);
    expect(accepted.data.map(({ id }) => id).sort()).toEqual([data[0]?.id, data[2]?.id].sort());
    expect(accepted.data.map(({ owner }) => owner)).toEqual(['Omar', 'Omar']);
  });

  it('that are accepted are a step from those behind a line of the statement, whose figures have both', async () => {
    const own = await connected();
    const { data } = await listed('&entity_type=payment&kind=only_on&platform=platform_b', own);
    const ids = data.map(({ id }) => id);
    const accepted = { reason: 'In transit', decided_by: 'Mariam' };
    const call = api(app.url, own.key);
    const body = { ids, accepted };
    expect((await call.send('PATCH', '/reconciliation/cases', { body })).status).toBe(200);
    const { types } = (await call.get('/reconciliation?entity_type=payment')).body.data as {
      types: {
        counts: {
          disagree: number;
          ambiguous: number;
          accepted: number;
          only_on: Record<string, number>;
        };
      }[];
    };
    const counts = types[0]?.counts;
    if (counts === undefined) throw new Error('The statement has no payments');
    const { disagree, ambiguous, only_on: alone } = counts;
    const apart = disagree + ambiguous + Object.values(alone).reduce((sum, one) => sum + one, 0);
    expect(counts.accepted).toBe(ids.length);
    const { page } = await browser.open(app.url, { at: '#/?entity_type=payment', key: own.key });
    const overview = page.getByRole('table', { name: /^All types/ }).locator('tbody tr');
    await overview.first().waitFor();
    expect(await overview.locator('td').nth(1).innerText()).toBe(String(apart - counts.accepted));
    await page.locator('.bridge').getByRole('link', { name: 'Plus: on platform_b only' }).click();
    await page.getByText('No open case is like this.').waitFor();
    await page.getByRole('link', { name: 'Those that are accepted' }).click();
    await page.getByText(new RegExp(`^${ids.length} cases?, oldest first$`)).waitFor();
    expect(await page.getByRole('link', { name: 'Those that are accepted' }).count()).toBe(0);
  });

  it('are accepted for the values that the person saw, and no others', async () => {
    const own = await app.openSession();
    const call = api(app.url, own.key);
    const read = async (
      platform: 'platform_a' | 'platform_b',
      payments: readonly object[],
    ): Promise<void> => {
      const given = payments.map((payment) => record('payment', payment));
      sources.give(own.customerId, platform, given);
      await call.post('/connect', { platform });
    };
    const onB = (second: number) =>
      [30, second].map((amount, index) => ({
        ...{ id: `b${index + 1}`, amount: -amount, currencyCode: 'USD' },
        externalDocumentNumber: `CHK-${index + 1}`,
      }));
    const onA = [1, 2].map((id) => ({ id, amount: '10.00', check_number: `CHK-${id}` }));
    await read('platform_a', onA);
    await read('platform_b', onB(40));
    await compared(call);
    const { page } = await browser.open(app.url, { at: '#/cases', key: own.key, failures: 'expected' });
    for (const row of [0, 1]) await rowsOf(page).nth(row).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Accept …' }).click();
    await page.getByText('Together: payments +50.00 USD.').waitFor();
    const named = page.getByRole('dialog').getByRole('list').first().getByRole('listitem');
    expect((await named.allInnerTexts()).toSorted()).toEqual(['CHK-1: +20.00 USD', 'CHK-2: +30.00 USD']);
    await page.getByLabel('Reason').fill('In transit');
    await page.getByLabel('Decided by').fill('Mariam');
    await read('platform_b', onB(45));
    const accept = page.getByRole('button', { name: 'Accept (2 cases)' });
    await accept.click();
    await page
      .getByText(/^Changed since the version that was named, so nothing was done: case_\w+$/)
      .waitFor();
    const changed = page.getByRole('region', { name: 'What changed meanwhile' }).locator('tbody tr');
    expect(await changed.count()).toBe(2);
    expect(await changed.nth(0).innerText()).toMatch(/CHK-2\s+Before\s.*40\.00 USD.*\+30\.00 USD/s);
    expect(await changed.nth(1).innerText()).toMatch(/CHK-2\s+Now\s.*45\.00 USD.*\+35\.00 USD/s);
    await page.getByText('Together: payments +55.00 USD.').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    expect((await listed('&state=accepted', own)).data).toEqual([]);
    // They change again, and the person goes on with what is shown.
    await read('platform_b', onB(50));
    await accept.click();
    await changed.nth(1).getByText('50.00 USD').first().waitFor();
    expect(await changed.nth(0).innerText()).toContain('45.00 USD');
    expect(await page.getByLabel('Reason').inputValue()).toBe('In transit');
    await accept.click();
    await page.getByRole('status').getByText('2 cases accepted.').waitFor({ state: 'attached' });
    const accepted = await listed('&state=accepted', own);
    expect(accepted.data).toMatchObject(
      Array(2).fill({ accepted: { reason: 'In transit', decided_by: 'Mariam' } }),
    );
  });

  it('are accepted by the sums of their types, without what is in no total', async () => {
    const own = await app.openSession();
    const call = api(app.url, own.key);
    const given = {
      platform_a: [
        record('invoice', {
          id: 1,
          invoice_number: 'INV-1',
          summary: { current_payment_due: '100.00', tax_applicable_to_this_payment: '5.00' },
        }),
        record('payment', { id: 2, amount: '10.00', check_number: 'CHK-2' }),
      ],
      platform_b: [
        record('invoice', {
          ...{ id: 'b1', externalDocumentNumber: 'INV-1', currencyCode: 'USD' },
          ...{ totalAmountIncludingTax: 110, totalTaxAmount: 15, totalAmountExcludingTax: 95 },
        }),
        record('payment', { id: 'b2', amount: -30, currencyCode: 'USD', externalDocumentNumber: 'CHK-2' }),
      ],
    };
    for (const platform of ['platform_a', 'platform_b'] as const) {
      sources.give(own.customerId, platform, given[platform]);
      await call.post('/connect', { platform });
    }
    await compared(call);
    const { page } = await browser.open(app.url, { at: '#/cases', key: own.key });
    // The amount and the tax of the invoice, and the amount of the payment.
    for (const row of [0, 1, 2]) await rowsOf(page).nth(row).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Accept …' }).click();
    await page
      .getByText('Together: invoices +10.00 USD, payments +20.00 USD. 1 case of these is not in the sums.')
      .waitFor();
  });

  it('are a file with the same rows', async () => {
    const { page } = await browser.open(app.url, { at: '#/cases?kind=only_on', key: caller.key });
    const { data, facets } = await listed('&kind=only_on');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `CSV of these ${facets.total}` }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^cases-\d{4}-\d{2}-\d{2}\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    expect(text.startsWith('\uFEFF')).toBe(true);
    for (const { id } of data) expect(text).toContain(id);
  });

  it('are a file of the list that shows, also while another one is read', async () => {
    const { as_of: moment } = (await compared(api(app.url, caller.key))) as { as_of: string };
    const query = `kind=only_on&as_of=${moment}`;
    const { page } = await browser.open(app.url, { at: `#/cases?${query}`, key: caller.key });
    const { data, facets } = await listed(`&${query}`);
    const button = page.getByRole('button', { name: `CSV of these ${facets.total}` });
    await button.waitFor();
    const release = await holdBack(page, '/api/v1/reconciliation/cases');
    await page.getByRole('combobox', { name: 'Records' }).selectOption('platform_b');
    await page.getByLabel('As of the end of').fill('2020-01-01');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('.outdated').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(file.suggestedFilename()).toBe(`cases-${moment.slice(0, 10)}.csv`);
    const text = await readFile(await file.path(), 'utf8');
    for (const { id } of data) expect(text).toContain(id);
    await release();
  });

  it('of an earlier time, and those of a key that may not decide, are shown and not changed', async () => {
    const { data: statement } = (await api(app.url, caller.key).get('/reconciliation')).body as {
      data: { as_of: string };
    };
    const { page } = await browser.open(app.url, { at: `#/cases?as_of=${statement.as_of}`, key: caller.key });
    await page.getByText(`${(await listed()).facets.total} cases, oldest first`, { exact: true }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    const { key } = await app.issueKey('live', ['read']);
    const other = await browser.open(app.url, { at: '#/cases' });
    await enter(other.page, key);
    await other.page.getByText('No case is open').waitFor();
    expect(await other.page.getByRole('checkbox').count()).toBe(0);
  });
});
