import type { Page } from 'playwright-core';
import { api } from '../support/app/api';
import type { RunningApp } from '../support/app/app';
import { startConsole } from '../support/console/console-app';
import { expectFocusOn, findingsInBothSchemes, withBrowser } from '../support/console/console-browser';

jest.setTimeout(90_000);

const browser = withBrowser();
let app: RunningApp;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app.close());

async function data(key: string, path: string): Promise<unknown> {
  return ((await api(app.url, key).get(path)).body as { data: unknown }).data;
}

/** Says why, and sends. */
async function decide(page: Page, act: string, reason = 'Agreed at the yearly review'): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByLabel('Decided by').fill('Mariam');
  await dialog.getByRole('button', { name: act }).dblclick();
}

describe('terms', () => {
  it('are rates in words, set, changed and removed with a reason', async () => {
    const { key } = await app.issueKey('test', ['read', 'administer']);
    const { page, requests } = await browser.open(app.url, { at: '#/terms', failures: 'expected', key });
    await page.getByText('No rate is agreed.').waitFor();
    await page.getByRole('button', { name: 'Agree on a rate …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Agree on a rate' });
    await dialog.getByLabel('One unit of').fill('usd');
    await dialog.getByLabel('In units of').fill('AED');
    await dialog.getByLabel('Rate', { exact: true }).fill('3,67');
    await decide(page, 'Set the rate');
    await dialog.getByText(/expected a positive decimal number/).waitFor();
    await dialog.getByLabel('Rate', { exact: true }).fill('3.6725');
    await dialog.getByText('1 USD = 3.6725 AED').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Set the rate' }).click();
    const row = page.getByRole('row', { name: /^1 USD = 3\.6725 AED .* Mariam Agreed at the yearly review/ });
    await row.waitFor();
    await expectFocusOn(page, 'Agree on a rate …');

    await row.getByRole('button', { name: /^Change …/ }).click();
    await page.getByText('Until now 1 USD = 3.6725 AED; that ends.').waitFor();
    await page.getByRole('dialog').getByLabel('Rate', { exact: true }).fill('3.67');
    const hostile = '<img src=x onerror="document.title=1">';
    await decide(page, 'Set the rate', hostile);
    await page
      .getByRole('row', { name: /^1 USD = 3\.67 AED/ })
      .getByText(hostile)
      .waitFor();
    expect(await data(key, '/rates')).toMatchObject([
      { from: 'USD', to: 'AED', rate: '3.67', reason: hostile },
    ]);

    await page.getByRole('button', { name: 'Remove … USD to AED' }).click();
    await decide(page, 'Remove');
    await page.getByText('No rate is agreed.').waitFor();
    // The button that opened the dialog went with its row.
    await page.locator('h1:focus').waitFor();
    expect(await data(key, '/rates')).toEqual([]);
    expect(requests.filter((one) => one === 'PUT /api/v1/rates')).toHaveLength(3);
    expect(requests.filter((one) => one.startsWith('DELETE'))).toHaveLength(1);
  });

  it('are the order of platforms for a field, and back to the default', async () => {
    const { key } = await app.issueKey('test', ['read', 'administer']);
    const { page } = await browser.open(app.url, { at: '#/terms', failures: 'expected', key });
    await page.getByText('values count in this order: platform_a, then platform_b.').waitFor();
    await page.getByRole('button', { name: 'Set the order of a field …' }).click();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('payment');
    const offered = await page.evaluate<string[]>(
      `[...document.querySelectorAll('dialog datalist option')].map((one) => one.value)`,
    );
    expect(offered).toContain('check_number');
    await page.getByLabel('Field', { exact: true }).fill('no_such_field');
    await decide(page, 'Set the order');
    await page.getByRole('alert').getByText('NOT_FOUND').waitFor();
    await page.getByLabel('Field', { exact: true }).fill('date');
    await page.getByRole('button', { name: 'Set the order', exact: true }).click();
    await page.getByRole('row', { name: /^Payments date platform_b, then platform_a .* Mariam/ }).waitFor();
    await page.getByRole('button', { name: 'Back to default … payment date' }).click();
    await decide(page, 'Go back');
    await page.getByText('No field has one.').waitFor();
    expect(await data(key, '/precedence')).toMatchObject({ precedence: [] });
  });

  it('are the levels of rules, and back to the default', async () => {
    const { key } = await app.issueKey('test', ['read', 'administer']);
    const { page } = await browser.open(app.url, { at: '#/terms', key });
    const rule = page.getByRole('row', { name: /^Payments of an invoice above its amount/ });
    await rule.getByText('by default').waitFor();
    await rule.getByRole('button', { name: /^Change …/ }).click();
    await page.getByRole('combobox', { name: 'Level' }).selectOption('Made, with a warning');
    await decide(page, 'Set the level');
    await rule.getByRole('cell', { name: 'Made, with a warning' }).waitFor();
    expect(await data(key, '/rules')).toContainEqual(
      expect.objectContaining({ rule: 'paid_above_billed', level: 'warn', decided_by: 'Mariam' }),
    );
    await rule.getByRole('button', { name: /^Back to default …/ }).click();
    await decide(page, 'Go back');
    await rule.getByText('by default').waitFor();
  });

  it('are read, and not offered to be changed, with a key that may only read', async () => {
    const { key } = await app.issueKey('live', ['read']);
    const { page } = await browser.open(app.url, { at: '#/terms', key });
    await page.getByText('No rate is agreed.').waitFor();
    await page.getByText('Records that a connected platform lacks').waitFor();
    await page.getByText('A customer', { exact: true }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  });
});
