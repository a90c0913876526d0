import type { Page } from 'playwright-core';
import { builtConsole } from '../support/console/built-console';
import { findingsInBothSchemes, withBrowser } from '../support/console/console-browser';
import { comeBack, holdBack, lookOften } from '../support/console/console-page';
import { startFarService, type FarCustomer, type FarService } from '../support/platforms/far-customer';
import { platforms } from '../support/customers/portfolio';

jest.setTimeout(120_000);

const browser = withBrowser();
let service: FarService;
let customer: FarCustomer;
beforeAll(async () => {
  service = await startFarService({}, await builtConsole());
  service.waitFor(50);
});
beforeEach(async () => {
  customer = await service.open(...platforms);
});
afterAll(() => service.close());

const table = (page: Page) => page.getByRole('table', { name: /newest first/ });

async function change(notes: string): Promise<{ id: string; payment: string }> {
  const { canonical_id: payment } = await customer.find('platform_a', 'payment', '1823456');
  const more = { reason: `About ${notes}`, decided_by: 'Mariam' };
  const { status, body } = await customer.client.post('/propagate', {
    ...{ format: 'canonical', entity_type: 'payment', canonical_id: payment, data: { notes } },
    ...more,
  });
  expect(status).toBe(200);
  return { id: body.data.propagation_id, payment };
}

/** A change whose write to platform_b is held. */
async function held(notes: string): Promise<{ id: string; payment: string }> {
  const { platform_b: b } = customer.far;
  b.reactions.push('be silent');
  const settle = jest
    .spyOn(b, 'settle')
    .mockResolvedValue({ status: 'held', reason: `two candidates for ${notes}` });
  const made = await change(notes);
  await customer.decided();
  settle.mockRestore();
  return made;
}

describe('changes', () => {
  it('are filtered by the address, each in the words of its platforms', async () => {
    await change('<img src=x onerror="document.title=1">');
    await customer.decided();
    customer.far.platform_b.reactions.push({ reject: 'The period is closed' });
    await change('refused');
    await customer.decided();
    const { page, requests } = await browser.open(service.app.url, { at: '#/changes', key: customer.key });
    await table(page).getByText('The period is closed').waitFor();
    expect(await table(page).locator('tbody tr').count()).toBe(2);
    expect(await page.locator('img').count()).toBe(0);
    await page.getByLabel('State').selectOption('rejected');
    await page.getByLabel('Platform').selectOption('platform_b');
    await page.getByLabel('Type').selectOption('payment');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('1 change, newest first').waitFor();
    expect(new URL(page.url()).hash).toBe('#/changes?state=rejected&platform=platform_b&entity_type=payment');
    expect(requests.some((one) => one.includes('state'))).toBe(false);
    await table(page).getByText('About refused').waitFor();
    await table(page).getByText('Decided by Mariam').waitFor();
    // What is decided is not decided again.
    expect(await page.getByRole('button', { name: /^(Retry|Discard)/ }).count()).toBe(0);
    await table(page)
      .getByRole('link', { name: /^Payment/ })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor();
  });

  it('that are held are retried or discarded with a reason and a name, once for a double click', async () => {
    const { id, payment } = await held('entered by hand');
    const { page, requests } = await browser.open(service.app.url, {
      at: `#/objects/${payment}`,
      key: customer.key,
    });
    await page.getByRole('link', { name: 'Its changes' }).click();
    await page.getByLabel('State').selectOption('held');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(({ hash }) => hash === `#/changes?state=held&canonical_id=${payment}`);
    await page.getByText('1 change, newest first').waitFor();
    await table(page).getByText('two candidates for entered by hand').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Discard on platform_b' }).click();
    const dialog = page.getByRole('dialog', { name: 'Give the write up?' });
    await dialog.getByRole('button', { name: 'Discard the write' }).click();
    await dialog.getByLabel('Reason').fill('Entered by hand');
    await dialog.getByLabel('Decided by').fill('Omar');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Discard the write' }).dblclick();
    await page.getByText(/^No such change/).waitFor();
    await page
      .getByRole('status')
      .getByText('Decided. platform_b: refused or given up.')
      .waitFor({ state: 'attached' });
    expect(requests.filter((one) => one.endsWith(`/propagations/${id}/decisions`))).toHaveLength(1);
    const { propagated } = await customer.propagation(id);
    expect(propagated.platform_b.decisions).toMatchObject([
      { action: 'discard', reason: 'Entered by hand', decided_by: 'Omar' },
    ]);

    const again = await held('once more');
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    await page.getByRole('button', { name: 'Retry on platform_b' }).click();
    const retry = page.getByRole('dialog', { name: 'Take the write up again?' });
    // The name of the person who decided last is proposed.
    expect(await retry.getByLabel('Decided by').inputValue()).toBe('Omar');
    await retry.getByLabel('Reason').fill('The platform is back');
    await retry.getByRole('button', { name: 'Retry now' }).click();
    await retry.waitFor({ state: 'detached' });
    await customer.decided();
    expect((await customer.propagation(again.id)).propagated.platform_b.status).toBe('applied');
  });

  it('are read again while one of them waits for its platform', async () => {
    await change('on its way');
    await customer.decided();
    let isPending = true;
    const { page } = await browser.open(service.app.url, {
      at: '#/changes',
      key: customer.key,
      own: true,
      before: async (page) => {
        await lookOften(page);
        await page.route('**/api/v1/propagations?*', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { data: { state: string }[] };
          if (isPending) for (const one of body.data) one.state = 'pending';
          await route.fulfill({ response, json: body });
        });
      },
    });
    await table(page).locator('.mark.pending').waitFor();
    isPending = false;
    await table(page).locator('.mark.pending').waitFor({ state: 'detached' });
    await table(page).locator('tbody tr').waitFor();
  });

  it('keep the dialog with what a person writes when the row goes behind it', async () => {
    await held('to be discarded');
    let isGone = false;
    const { page } = await browser.open(service.app.url, {
      at: '#/changes?state=held',
      key: customer.key,
      own: true,
      before: (page) =>
        page.route('**/api/v1/propagations?*', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as object;
          await route.fulfill({ response, json: isGone ? { ...body, data: [], next_cursor: null } : body });
        }),
    });
    await page.getByRole('button', { name: 'Discard on platform_b' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Give the write up?' });
    await dialog.getByLabel('Reason').fill('Entered by hand');
    // Another person has decided by then, and the page reads what is old when it is looked at again.
    isGone = true;
    await comeBack(page);
    await page.getByText(/^No such change/).waitFor({ state: 'attached' });
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Entered by hand');
  });

  it('are not decided by a key that may not', async () => {
    await held('for others');
    const { page } = await browser.open(service.app.url, {
      at: '#/changes?state=held',
      key: customer.key,
      before: (page) =>
        page.route('**/api/v1/me', async (route) => {
          const response = await route.fetch();
          const me = (await response.json()) as { data: { key: { permissions: string[] } } };
          me.data.key.permissions = ['read', 'write', 'decide'];
          await route.fulfill({ response, json: me });
        }),
    });
    await table(page).getByText('two candidates for for others').waitFor();
    expect(await page.getByRole('button', { name: /^(Retry|Discard)/ }).count()).toBe(0);
  });

  it('are said to be none of the list that shows, also while another one is read', async () => {
    await change('There is one');
    await customer.decided();
    const { page } = await browser.open(service.app.url, {
      at: '#/changes?since=2020-01-01&until=2020-01-02',
      key: customer.key,
    });
    await page.getByText(/^No such change/).waitFor();
    const release = await holdBack(page, '/api/v1/propagations');
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    await page.locator('.outdated').waitFor();
    await page.getByText(/^No such change/).waitFor();
    await release();
    await table(page).getByText('About There is one').waitFor();
  });

  it('come page by page', async () => {
    for (const notes of ['first', 'second']) await change(notes);
    await customer.decided();
    const cursors: (string | null)[] = [];
    const { page } = await browser.open(service.app.url, {
      at: '#/changes',
      key: customer.key,
      before: (page) =>
        page.route('**/api/v1/propagations?*', async (route) => {
          const url = new URL(route.request().url());
          expect(url.searchParams.get('limit')).toBe('100');
          cursors.push(url.searchParams.get('cursor'));
          url.searchParams.set('limit', '1');
          await route.continue({ url: url.href });
        }),
    });
    const first = await table(page).getByText(/^req_/).innerText();
    await page.getByRole('button', { name: 'Next' }).click();
    await table(page).getByText(first).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Previous' }).click();
    await table(page).getByText(first).waitFor();
    expect(cursors[0]).toBeNull();
    expect(cursors[1]).not.toBeNull();
  });

  it('are said to go on behind a page without any, also while the next one is read', async () => {
    const { page } = await browser.open(service.app.url, {
      at: '#/changes',
      key: customer.key,
      before: (page) =>
        page.route('**/api/v1/propagations?*', async (route) => {
          const isFirst = !new URL(route.request().url()).searchParams.has('cursor');
          if (isFirst) await route.fulfill({ json: { data: [], next_cursor: 'second' } });
        }),
    });
    await page.getByText(/^None on this page/).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('.outdated').waitFor();
    await page.getByText(/^None on this page/).waitFor();
  });
});
