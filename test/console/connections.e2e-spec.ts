import type { RunningApp } from '../support/app';
import { startConsole } from '../support/console-app';
import { enter, withBrowser } from '../support/console-browser';

jest.setTimeout(90_000);

const browser = withBrowser();
let app: RunningApp;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app.close());

describe('connections', () => {
  it('are made and read again, and the statement follows', async () => {
    const { key } = await app.issueKey('test');
    const { page } = await browser.open(app.url, { at: '#/' });
    await enter(page, key);
    await page.getByRole('heading', { name: 'No platform is connected' }).waitFor();
    await page.getByRole('link', { name: 'Connect a platform' }).click();
    await page.getByRole('button', { name: 'Connect platform_a' }).click();
    const card = page.getByRole('region', { name: 'platform_a', exact: true });
    await card.getByText('38', { exact: true }).waitFor();
    await page
      .getByRole('status')
      .getByText('platform_a was read: 38 records.')
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Connect platform_b' }).click();
    await page
      .getByRole('region', { name: 'platform_b', exact: true })
      .getByText('36', { exact: true })
      .waitFor();
    await card.getByRole('button', { name: 'Sync now platform_a' }).click();
    await card.getByRole('button', { name: 'Sync now platform_a' }).isEnabled();
    await page.getByRole('link', { name: 'Statement' }).click();
    await page.getByRole('region', { name: 'Invoices', exact: true }).waitFor();
  });

  it('show a reading that is under way, with the records so far, and its end', async () => {
    const { key } = await app.issueKey('test');
    const { page } = await browser.open(app.url, { at: '#/connections' });
    let reads = 0;
    const connection = (status: 'running' | 'done', records: number) => ({
      platform: 'platform_a',
      status: status === 'done' ? 'active' : 'connecting',
      connected_at: '2026-01-01T00:00:00.000Z',
      entities_synced: status === 'done' ? records : 0,
      mode: 'live',
      last_synced_at: status === 'done' ? '2026-01-01T00:00:05.000Z' : null,
      sync: {
        status,
        started_at: '2026-01-01T00:00:00.000Z',
        records_read: records,
        complete: status === 'done',
        gaps: status === 'done' ? ['payments: no rights'] : [],
        deleted: 0,
        deletions_held: status === 'done' ? 1234 : 0,
      },
      last_error: null,
    });
    await page.route('**/api/v1/connections', (route) => {
      reads += 1;
      const shown = reads < 3 ? connection('running', 1000 * reads) : connection('done', 2500);
      return route.fulfill({ json: { data: { connections: [shown] } } });
    });
    await enter(page, key);
    await page.getByText(/Reading for .*, 1,000 records so far/).waitFor();
    await page.getByText(/Reading for .*, 2,000 records so far/).waitFor();
    await page.getByText('2,500', { exact: true }).waitFor();
    await page.getByText('payments: no rights').waitFor();
    await page.getByText(/1,234 records seem to be gone/).waitFor();
    expect(await page.getByText(/^Reading for/).count()).toBe(0);
  });

  it('are not offered to be read by a key that may not', async () => {
    const { key } = await app.issueKey('live', ['read']);
    const { page } = await browser.open(app.url, { at: '#/connections' });
    await enter(page, key);
    await page.getByText('Not connected.').first().waitFor();
    await page.getByText('A customer', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^(Connect|Sync now)/ }).count()).toBe(0);
  });
});
