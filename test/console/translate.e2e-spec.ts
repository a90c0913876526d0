import type { Page } from 'playwright-core';
import { api } from '../support/app/api';
import type { RunningApp } from '../support/app/app';
import { startConsole } from '../support/console/console-app';
import { withBrowser } from '../support/console/console-browser';
import { holdBack } from '../support/console/console-page';
import { GivenRecords, record } from '../support/platforms/given-records';

jest.setTimeout(90_000);

const browser = withBrowser();
const sources = new GivenRecords();
let app: RunningApp;
let key: string;
beforeAll(async () => {
  app = await startConsole({ given: sources });
  ({ key } = await app.openSession());
  await api(app.url, key).post('/connect', { platform: 'platform_a' });
});
afterAll(() => app.close());

/** Lets the first record of the type be found: the page reads it then, and has taken it or not in the end. */
async function sampleComes(page: Page, release: () => Promise<void>): Promise<void> {
  const read = page.waitForResponse((response) =>
    new URL(response.url()).pathname.startsWith('/api/v1/objects/'),
  );
  await release();
  await (await read).finished();
  await page.getByRole('button', { name: 'Requests' }).click();
  await page.getByRole('table', { name: /calls of this tab/ }).waitFor();
}

describe('translate', () => {
  it('translates a sample, and lists what is lost first', async () => {
    const { page } = await browser.open(app.url, { at: '#/translate', key });
    await page.getByRole('button', { name: 'Load a sample' }).click();
    await page
      .getByLabel(/^Source/)
      .getByText('check_number')
      .waitFor();
    await page.getByLabel(/^Source/).press('Control+Enter');
    await page.getByRole('region', { name: 'Canonical' }).getByText('"object": "payment"').waitFor();
    await page
      .getByRole('region', { name: 'Target, platform_b' })
      .getByText('externalDocumentNumber')
      .waitFor();
    const fields = page.getByRole('table', { name: 'What became of each field' });
    await fields.waitFor();
    const outcomes = await fields.locator('.mark').allInnerTexts();
    expect(outcomes[0]).toBe('✕ lost');
    expect(outcomes.at(-1)).toBe('● mapped');

    // A row marks its three places, by the focus as by the pointer.
    const marks = (place: string) => page.locator(`${place} mark`).allInnerTexts();
    await page.getByRole('button', { name: /^check_number/ }).focus();
    const [written] = await marks('.marked-field');
    expect(written).toMatch(/^"CHK-/);
    expect(await marks('[aria-label="Canonical"]')).toEqual([written]);
    expect(await marks('[aria-label="Target, platform_b"]')).toEqual([written]);
    await page.getByRole('row', { name: /^amount/ }).hover();
    await page.locator('[aria-label="Target, platform_b"] mark').nth(1).waitFor();
    expect(await marks('[aria-label="Target, platform_b"]')).toHaveLength(2);
    await page.getByLabel(/^Source/).fill('{}');
    expect(await marks('.marked-field')).toEqual([]);

    // The other way round nothing has been translated yet.
    await page.getByLabel('From').selectOption('platform_b');
    expect(await page.getByRole('region', { name: 'Target, platform_a' }).innerText()).toBe(
      'Shows here once the record is translated.',
    );
    expect(await page.getByRole('region', { name: 'Report' }).count()).toBe(0);
  });

  it('says where there is no record for a sample', async () => {
    const { page } = await browser.open(app.url, {
      at: '#/translate',
      key,
      before: (page) =>
        page.route(
          ({ pathname }) => pathname === '/api/v1/objects',
          (route) => route.fulfill({ json: { data: [], next_cursor: null } }),
        ),
    });
    await page.getByRole('button', { name: 'Load a sample' }).click();
    const none = page.getByRole('main').getByText('platform_a has no payment.');
    await none.waitFor();
    await page.getByLabel('Record').selectOption('invoice');
    await none.waitFor({ state: 'detached' });
  });

  it('takes no sample of what was chosen before', async () => {
    const { page } = await browser.open(app.url, { at: '#/translate', key });
    const release = await holdBack(page, '/api/v1/objects');
    await page.getByRole('button', { name: 'Load a sample' }).click();
    await page.getByLabel('Record').selectOption('invoice');
    await sampleComes(page, release);
    expect(await page.getByLabel(/^Source/).inputValue()).not.toContain('check_number');
  });

  it('takes no sample in place of what a person has written meanwhile', async () => {
    const { page } = await browser.open(app.url, { at: '#/translate', key });
    const release = await holdBack(page, '/api/v1/objects');
    await page.getByRole('button', { name: 'Load a sample' }).click();
    await page.getByLabel(/^Source/).fill('{"id":7}');
    await sampleComes(page, release);
    expect(await page.getByLabel(/^Source/).inputValue()).toBe('{"id":7}');
  });

  it('takes a sample with its numbers as they were sent', async () => {
    const { customerId, key: own } = await app.openSession();
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 7, amount: '10.00', check_number: 'CHK-7', x: 7.5 }),
    ]);
    await api(app.url, own).post('/connect', { platform: 'platform_a' });
    const exact = '"x": 1234567890123456789,\n  "y": 1.10';
    const { page } = await browser.open(app.url, {
      at: '#/translate',
      key: own,
      before: (page) =>
        page.route('**/api/v1/objects**', async (route) => {
          const response = await route.fetch();
          const body = (await response.text()).replaceAll('"x":7.5', exact.replace(/\n {2}/, ''));
          await route.fulfill({ response, body });
        }),
    });
    await page.getByRole('button', { name: 'Load a sample' }).click();
    await page
      .getByLabel(/^Source/)
      .getByText('CHK-7')
      .waitFor();
    expect(await page.getByLabel(/^Source/).inputValue()).toContain(exact);
  });

  it('says at the record what the service refuses, and sends no number that a browser would change', async () => {
    const { page, requests } = await browser.open(app.url, { at: '#/translate', failures: 'expected', key });
    const record = page.getByLabel(/^Source/);
    await record.fill('{"amount":"12,50"}');
    await page.getByRole('button', { name: 'Translate' }).click();
    await page.getByText(/data\.amount/).waitFor();
    expect(await record.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('TRANSFORM_ERROR').waitFor();
    expect(await page.locator('.marked-field mark').allInnerTexts()).toEqual(['"12,50"']);

    const before = requests.length;
    await record.fill('{"id":1234567890123456789}');
    await page.getByRole('button', { name: 'Translate' }).click();
    await page.getByText(/1234567890123456789 has more digits than a browser keeps/).waitFor();
    await record.fill('{"id":');
    await record.press('Control+Enter');
    await page.getByText(/^This is not JSON/).waitFor();
    expect(requests).toHaveLength(before);
  });

  it('asks for the kind of a contract of platform_a, and shows hostile text as text', async () => {
    const { page } = await browser.open(app.url, { at: '#/translate', key });
    await page.getByLabel('Record').selectOption('contract');
    await page.getByLabel('Kind of contract').selectOption('PurchaseOrderContract');
    const title = '<img src=x onerror="document.title=1">';
    await page.getByLabel(/^Source/).fill(JSON.stringify({ number: 'C-1', title }));
    await page.getByRole('button', { name: 'Translate' }).click();
    await page.getByRole('region', { name: 'Canonical' }).getByText('onerror').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.getByLabel('From').selectOption('platform_b');
    expect(await page.getByLabel('Kind of contract').count()).toBe(0);
  });
});
