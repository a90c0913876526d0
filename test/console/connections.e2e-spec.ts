import { DeliveryTimes } from '../../src/webhook-endpoints/delivery/delivery-times';
import { masterKey } from '../e2e/credentials/master-keys';
import { api } from '../support/app/api';
import type { RunningApp } from '../support/app/app';
import { startConsole } from '../support/console/console-app';
import { enter, findingsInBothSchemes, withBrowser } from '../support/console/console-browser';
import { startReceiver, type WebhookReceiver } from '../support/http/webhook-receiver';

jest.setTimeout(90_000);

const browser = withBrowser();
let app: RunningApp;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
  app = await startConsole({
    settings: { credentialsKeys: [masterKey('console')], webhookAllowedNetworks: ['127.0.0.0/8'] },
  });
  Object.assign(app.app.get(DeliveryTimes, { strict: false }), { poll: 20 });
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

describe('connections', () => {
  it('are made and read again, and the statement follows', async () => {
    const { key } = await app.issueKey('test');
    const { page } = await browser.open(app.url, { at: '#/', key });
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
    await page.getByRole('link', { name: 'Statement' }).click();
    await page.getByRole('region', { name: 'Invoices', exact: true }).waitFor();
  });

  it('show a reading that is under way, with the records so far, and its end', async () => {
    const { key } = await app.issueKey('test');
    // Its clock goes on when the test says so, too: the page looks again every second and a half.
    const { page } = await browser.open(app.url, { at: '#/connections', own: true });
    await page.clock.install();
    await page.reload();
    let shown: object;
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
    await page.route('**/api/v1/connections', (route) =>
      route.fulfill({ json: { data: { connections: [shown] } } }),
    );
    shown = connection('running', 1000);
    await enter(page, key);
    // Since the service's time: the clock of the page may be another one.
    await page.getByText('Reading since 1 Jan 2026, 00:00:00, 1,000 records so far').waitFor();
    const whole = page.locator('dt', { hasText: /^Whole$/ }).locator('+ dd');
    expect(await whole.innerText()).toBe('being read');
    shown = connection('running', 2000);
    await page.clock.fastForward(1500);
    await page.getByText(/Reading since .*, 2,000 records so far/).waitFor();
    shown = connection('done', 2500);
    await page.clock.fastForward(1500);
    await page.getByText('2,500', { exact: true }).waitFor();
    expect(await whole.innerText()).toBe('yes');
    await page.getByText('payments: no rights').waitFor();
    await page.getByText(/1,234 records seem to be gone/).waitFor();
    expect(await page.getByText(/^Reading since/).count()).toBe(0);
  });

  it('are not offered to be read by a key that may not', async () => {
    const { key } = await app.issueKey('live', ['read']);
    const { page } = await browser.open(app.url, { at: '#/connections', key });
    await page.getByText('Not connected.').first().waitFor();
    await page.getByText('A customer', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^(Connect|Sync now)/ }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Webhook endpoints' }).count()).toBe(0);
  });

  it('show where events go and what fails there, enable an endpoint again, and send again', async () => {
    receiver.answer((response) => response.writeHead(503).end('out of order'));
    const { key } = await app.issueKey('test');
    const client = api(app.url, key);
    const registered = await client.post('/webhook-endpoints', {
      url: receiver.url,
      types: ['run.completed'],
    });
    const { id } = registered.body.data as { id: string };
    const fails = async () => (await client.get(`/webhook-endpoints/${id}`)).body.data.failing_since !== null;
    await client.post('/connect', { platform: 'platform_a' });
    while (!(await fails())) await receiver.until(1);

    const { page } = await browser.open(app.url, { at: '#/connections', key });
    const section = page.getByRole('region', { name: 'Webhook endpoints', exact: true });
    await section.getByRole('row', { name: /run\.completed.*failing since.*503/ }).waitFor();
    await section.getByText(receiver.url, { exact: true }).first().waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);

    receiver.answer((response) => response.writeHead(204).end());
    await client.send('PATCH', `/webhook-endpoints/${id}`, { body: { enabled: false } });
    await page.reload();
    await enter(page, key);
    await section.getByText('switched off').waitFor();
    await section.getByRole('button', { name: /^Enable again/ }).click();
    const enabling = page.getByRole('dialog', { name: 'Enable the endpoint again?' });
    await enabling.waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await enabling.getByRole('button', { name: 'Enable again' }).click();
    await section.getByText('active').waitFor();
    await receiver.until(2);

    await section.getByRole('button', { name: /^Send again/ }).click();
    const sending = page.getByRole('dialog', { name: 'Send events again?' });
    await sending.getByLabel('Since').fill('2026-01-01');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await sending.getByRole('button', { name: 'Send again' }).click();
    await receiver.until(3);
  });
});
