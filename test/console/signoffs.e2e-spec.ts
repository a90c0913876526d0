import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { api } from '../support/app/api';
import type { Caller, RunningApp } from '../support/app/app';
import { compared } from '../support/customers/compared';
import { startConsole } from '../support/console/console-app';
import { enter, expectFocusOn, findingsInBothSchemes, withBrowser } from '../support/console/console-browser';
import { comeBack, holdBack, lookOften, show } from '../support/console/console-page';
import { GivenRecords, record } from '../support/platforms/given-records';
import { latch } from '../support/this-process/latch';

jest.setTimeout(90_000);

const browser = withBrowser();
const sources = new GivenRecords();
let app: RunningApp;
beforeAll(async () => {
  app = await startConsole({ given: sources });
});
afterAll(() => app.close());

interface Statement {
  as_of: string;
  currency: string;
  digest: string;
  types: { entity_type: string; counts: { agree: number } }[];
}

/** A demo session whose platforms are read and compared: for tests of the figures themselves. */
async function connected(): Promise<Caller> {
  const opened = await app.openSession();
  await read(opened);
  return opened;
}

/** As {@link connected}, with one payment that both platforms have: the names under a statement ask for no more. */
async function withOnePayment(): Promise<Caller> {
  const opened = await app.openSession();
  sources.give(opened.customerId, 'platform_a', [
    record('payment', { id: 1, amount: '10.00', check_number: 'CHK-1' }),
  ]);
  const onB = { id: 'b1', amount: -10, currencyCode: 'USD', externalDocumentNumber: 'CHK-1' };
  sources.give(opened.customerId, 'platform_b', [record('payment', onB)]);
  await read(opened);
  return opened;
}

async function read(caller: Caller): Promise<void> {
  for (const platform of ['platform_a', 'platform_b'])
    await api(app.url, caller.key).post('/connect', { platform });
  await complete(caller);
}

function complete({ key }: Caller): Promise<Statement> {
  return compared(api(app.url, key));
}

/** Signs what the statement says now, without the page. */
async function signed(caller: Caller, role: string, name: string): Promise<void> {
  const { as_of, currency, digest } = await complete(caller);
  const body = { as_of, currency, digest, role, signed_by: name };
  expect((await api(app.url, caller.key).post('/reconciliation/signoffs', body)).status).toBe(200);
}

interface Listed {
  role: string;
  signed_by: string;
  digest: string;
  note: string | null;
}

async function listed({ key }: Caller): Promise<Listed[]> {
  return ((await api(app.url, key).get('/reconciliation/signoffs')).body as { data: Listed[] }).data;
}

/** Another rate between the currencies of the two platforms: figures move. */
async function moveFigures({ key }: Caller): Promise<void> {
  const body = { from: 'USD', to: 'QAR', rate: '3.65', reason: 'Agreed', decided_by: 'Ada' };
  expect((await api(app.url, key).send('PUT', '/rates', { body })).status).toBe(200);
}

const signing = (page: Page) => page.getByRole('region', { name: 'Sign-off', exact: true });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Sign these figures' });

async function openDialog(page: Page): Promise<void> {
  await signing(page).getByRole('button', { name: 'Sign these figures …' }).click();
  await dialog(page).waitFor();
}

describe('signing', () => {
  it('puts a preparer and a reviewer under exactly the figures that show', async () => {
    const caller = await withOnePayment();
    const { page, requests } = await browser.open(app.url, { failures: 'expected', key: caller.key });
    await signing(page).getByText('Nobody has signed exactly these figures.').waitFor();
    const digest = await page.locator('code.digest').innerText();

    await openDialog(page);
    await dialog(page).getByText(digest).waitFor();
    await dialog(page).getByLabel('Name').fill('Mariam');
    const note = '<img src=x onerror="document.title=1">';
    await dialog(page).getByLabel('Note').fill(note);
    await dialog(page).getByRole('button', { name: 'Sign as preparer' }).dblclick();
    await dialog(page).waitFor({ state: 'detached' });
    await signing(page)
      .getByRole('row', { name: /Prepared Mariam .* Current/ })
      .getByText(note)
      .waitFor();

    // A person who prepared does not review; the name is corrected in the same dialog.
    await openDialog(page);
    await dialog(page).getByRole('button', { name: 'Sign as reviewer' }).click();
    await dialog(page).getByText('Mariam has prepared this statement').waitFor();
    await dialog(page).getByLabel('Name').fill('Omar');
    await dialog(page).getByRole('button', { name: 'Sign as reviewer' }).click();
    await signing(page)
      .getByRole('row', { name: /Reviewed Omar .* Current/ })
      .waitFor();
    await page.getByRole('status').getByText('Reviewed by Omar.').waitFor({ state: 'attached' });

    const names = (await listed(caller)).map((one) => [one.role, one.signed_by, one.digest, one.note]);
    expect(names).toEqual([
      ['reviewed', 'Omar', digest, null],
      ['prepared', 'Mariam', digest, note],
    ]);
    expect(requests.filter((one) => one === 'POST /api/v1/reconciliation/signoffs')).toHaveLength(3);
    expect(await page.title()).toBe('Statement · Console');
  });

  it('says what moved when the figures are others by then, and lets the person look again', async () => {
    const caller = await connected();
    const { page } = await browser.open(app.url, { key: caller.key });
    await signing(page).getByText('Nobody has signed').waitFor();
    await moveFigures(caller);
    await complete(caller);
    await openDialog(page);
    await dialog(page).getByText('The figures have moved since you looked at them.').waitFor();
    await dialog(page)
      .getByRole('row', { name: /Invoices Sum, platform_b/ })
      .waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Look again' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByText('1 USD = 3.65 QAR').waitFor();
    await openDialog(page);
    await dialog(page).getByLabel('Name').fill('Mariam');
    await dialog(page).getByRole('button', { name: 'Sign as preparer' }).click();
    await signing(page)
      .getByRole('row', { name: /Prepared Mariam/ })
      .waitFor();
    expect((await listed(caller)).map(({ digest }) => digest)).toEqual([(await complete(caller)).digest]);
  });

  it('keeps what a person writes, and signs what was shown, while a platform is being read behind the dialog', async () => {
    const caller = await withOnePayment();
    let isReading = false;
    const { page } = await browser.open(app.url, {
      key: caller.key,
      own: true,
      before: async (page) => {
        await lookOften(page);
        await page.route(
          (url) => url.pathname === '/api/v1/reconciliation',
          async (route) => {
            const response = await route.fetch();
            const answer = (await response.json()) as { data: { complete: boolean; reasons: object[] } };
            if (isReading) {
              const detail = 'platform_a is being read';
              answer.data.complete = false;
              answer.data.reasons = [{ reason: 'run_under_way', platform: 'platform_a', detail }];
            }
            await route.fulfill({ response, json: answer });
          },
        );
      },
    });
    await signing(page).getByText('Nobody has signed').waitFor();
    isReading = true;
    await openDialog(page);
    await dialog(page).getByLabel('Name').fill('Mariam');
    await dialog(page).getByLabel('Note').fill('As agreed with the bank');
    await page.getByText('platform_a is being read').waitFor({ state: 'attached' });
    await dialog(page).getByRole('button', { name: 'Sign as preparer' }).click();
    await signing(page)
      .getByRole('row', { name: /Prepared Mariam .* Current/ })
      .getByText('As agreed with the bank')
      .waitFor();
    expect(await signing(page).getByRole('button', { name: 'Sign these figures …' }).count()).toBe(0);
  });

  it('signs nothing before it is known whether the figures have moved', async () => {
    const caller = await connected();
    const { page, requests } = await browser.open(app.url, { key: caller.key });
    await signing(page).getByText('Nobody has signed').waitFor();
    await moveFigures(caller);
    await complete(caller);
    const release = await holdBack(page, '/api/v1/reconciliation');
    await openDialog(page);
    await dialog(page).getByLabel('Name').fill('Mariam');
    await dialog(page).getByLabel('Name').press('Enter');
    await dialog(page).getByText('Looking whether they have moved …').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Sign as preparer' }).isDisabled()).toBe(true);
    await release();
    await dialog(page).getByText('The figures have moved since you looked at them.').waitFor();
    expect(requests).not.toContain('POST /api/v1/reconciliation/signoffs');
    expect(await dialog(page).getByRole('button', { name: 'Sign as preparer' }).isDisabled()).toBe(false);
  });

  it('looks whether the figures of the dialog have moved, also while another statement is read', async () => {
    const caller = await connected();
    const { page } = await browser.open(app.url, { key: caller.key });
    await signing(page).getByText('Nobody has signed').waitFor();
    const { opened: released, open: release } = latch();
    const isOfPayments = (url: URL): boolean =>
      url.pathname === '/api/v1/reconciliation' && url.searchParams.get('entity_type') === 'payment';
    await page.route(isOfPayments, async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('combobox', { name: 'Type' }).selectOption('payment');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('.outdated').first().waitFor();
    await moveFigures(caller);
    await complete(caller);
    await openDialog(page);
    await dialog(page).getByText('The figures have moved since you looked at them.').waitFor();
    release();
    await page.getByText('Payments only').waitFor({ state: 'attached' });
  });

  it('is possible where it cannot be read whether the figures have moved, and says so', async () => {
    const caller = await withOnePayment();
    const { page } = await browser.open(app.url, { failures: 'expected', key: caller.key });
    await signing(page).getByText('Nobody has signed').waitFor();
    await page.route(
      (url) => url.pathname === '/api/v1/reconciliation',
      (route) =>
        route.fulfill({
          status: 400,
          json: { error: { type: 'VALIDATION_ERROR', message: 'Not now', request_id: 'req_1' } },
        }),
    );
    await openDialog(page);
    await dialog(page).getByText('Whether they have moved could not be read').waitFor();
    await dialog(page).getByLabel('Name').fill('Mariam');
    await dialog(page).getByRole('button', { name: 'Sign as preparer' }).click();
    await signing(page)
      .getByRole('row', { name: /Prepared Mariam/ })
      .waitFor();
  });

  it('proposes no role where the names under these figures may be behind the latest sign-offs', async () => {
    const caller = await withOnePayment();
    const { page, requests } = await browser.open(app.url, {
      key: caller.key,
      before: (page) =>
        page.route(
          (url) => url.pathname === '/api/v1/reconciliation/signoffs',
          (route) =>
            route.request().method() === 'GET'
              ? route.fulfill({ json: { data: [], next_cursor: 'further' } })
              : route.continue(),
        ),
    });
    await openDialog(page);
    await dialog(page).getByLabel('Name').fill('Omar');
    expect(await dialog(page).getByLabel('Role').inputValue()).toBe('');
    await dialog(page).getByRole('button', { name: 'Sign', exact: true }).click();
    expect(requests).not.toContain('POST /api/v1/reconciliation/signoffs');
    await dialog(page).getByLabel('Role').selectOption('reviewed');
    await dialog(page).getByRole('button', { name: 'Sign as reviewer' }).waitFor();
  });

  it('shows what the service has where it refuses the digest', async () => {
    const caller = await connected();
    const wrong = (url: URL) => url.pathname === '/api/v1/reconciliation';
    const { page } = await browser.open(app.url, {
      failures: 'expected',
      key: caller.key,
      before: (page) =>
        page.route(wrong, async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { data: Statement };
          body.data.digest = `sha256:${'0'.repeat(64)}`;
          for (const { counts } of body.data.types) counts.agree += 1;
          await route.fulfill({ response, json: body });
        }),
    });
    await signing(page).getByText('Nobody has signed').waitFor();
    const read = page.waitForResponse((response) => wrong(new URL(response.url())));
    await openDialog(page);
    await read;
    await page.unroute(wrong);
    await dialog(page).getByLabel('Name').fill('Mariam');
    await dialog(page).getByRole('button', { name: 'Sign as preparer' }).click();
    await dialog(page).getByRole('alert').getByText('CONFLICT_ERROR').waitFor();
    await dialog(page).getByRole('table', { name: 'What moved' }).waitFor();
    expect(
      await dialog(page)
        .getByRole('row', { name: /^\w+ Agree \d+ \d+$/ })
        .count(),
    ).toBe(5);
    expect(await listed(caller)).toEqual([]);
  });

  it('begins once it is known whose names stand there: who comes second is a reviewer', async () => {
    const caller = await withOnePayment();
    await signed(caller, 'prepared', 'Mariam');
    let know = (): void => undefined;
    const known = new Promise<void>((resolve) => (know = resolve));
    const { page } = await browser.open(app.url, {
      key: caller.key,
      before: (page) =>
        page.route(
          (url) => url.pathname === '/api/v1/reconciliation/signoffs',
          (route) => known.then(() => route.continue()),
        ),
    });
    await signing(page).getByText('Loading the sign-offs').waitFor({ state: 'attached' });
    expect(await page.getByRole('button', { name: /^Sign these figures/ }).count()).toBe(0);
    know();
    await openDialog(page);
    await dialog(page).getByRole('button', { name: 'Sign as reviewer' }).waitFor();
  });

  it('says why the service refuses, also where the figures cannot be read again', async () => {
    const caller = await withOnePayment();
    await signed(caller, 'prepared', 'Mariam');
    const { page } = await browser.open(app.url, { failures: 'expected', key: caller.key });
    await openDialog(page);
    await dialog(page).getByRole('button', { name: 'Sign as reviewer' }).waitFor();
    await page.route(
      (url) => url.pathname === '/api/v1/reconciliation',
      (route) =>
        route.fulfill({
          status: 400,
          json: { error: { type: 'VALIDATION_ERROR', message: 'Not now', request_id: 'req_1' } },
        }),
    );
    await dialog(page).getByLabel('Name').fill('Mariam');
    await dialog(page).getByRole('button', { name: 'Sign as reviewer' }).click();
    await dialog(page).getByText('Mariam has prepared this statement').waitFor();
    expect(await dialog(page).getByText('Not now').count()).toBe(0);
  });

  it('that is refused after the person has gone elsewhere is told there', async () => {
    const caller = await withOnePayment();
    const { page } = await browser.open(app.url, { at: '#/terms', failures: 'expected', key: caller.key });
    await show(page, '/');
    await signing(page).getByText('Nobody has signed').waitFor();
    await openDialog(page);
    await dialog(page).getByLabel('Name').fill('Mariam');
    const refusal = {
      error: { type: 'CONFLICT_ERROR', message: 'Signed by then', request_id: 'req_12345678' },
    };
    const release = await holdBack(page, '/api/v1/reconciliation/signoffs', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 409, json: refusal }) : route.continue(),
    );
    await dialog(page).getByRole('button', { name: 'Sign as preparer' }).click();
    await dialog(page).getByRole('button', { name: 'Sending …' }).waitFor();
    await page.goBack();
    await page.getByRole('table', { name: 'What becomes of a change' }).waitFor();
    await release();
    const told = page.getByRole('region', { name: 'What became of what you sent' });
    await told.getByText('“Sign these figures” was refused after you had left the page.').waitFor();
    await told.getByText('Signed by then').waitFor();
    await told.locator('code', { hasText: /^req_/ }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    // It outlives this screen too, until the person has read it.
    await show(page, '/connections');
    await told.getByText('Signed by then').waitFor();
    await told.getByRole('button', { name: 'Close' }).click();
    await told.waitFor({ state: 'detached' });
    await expectFocusOn(page, 'Connections');
  });

  it('is offered neither for an incomplete statement nor to a key that may not', async () => {
    const half = await app.openSession();
    await api(app.url, half.key).post('/connect', { platform: 'platform_a' });
    const { page } = await browser.open(app.url, { key: half.key });
    await signing(page).getByText('Only a complete statement can be signed').waitFor();
    expect(await page.getByRole('button', { name: /^Sign/ }).count()).toBe(0);

    const caller = await withOnePayment();
    await signed(caller, 'prepared', 'Mariam');
    const reader = await browser.open(app.url);
    await reader.page.route('**/api/v1/me', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: { key: { permissions: string[] } } };
      body.data.key.permissions = ['read'];
      await route.fulfill({ response, json: body });
    });
    await enter(reader.page, caller.key);
    await signing(reader.page).getByRole('link', { name: 'Mariam' }).click();
    await reader.page.getByText('Nothing: each figure is as it was signed.').waitFor();
    expect(await reader.page.getByRole('button', { name: /^(Sign|Withdraw)/ }).count()).toBe(0);
  });
});

describe('sign-offs', () => {
  it('say which figures have changed since, are chosen in the address, and are a file', async () => {
    const caller = await connected();
    await signed(caller, 'prepared', 'Mariam');
    await signed(caller, 'reviewed', 'Omar');
    await moveFigures(caller);
    await complete(caller);
    const { page } = await browser.open(app.url, { at: '#/signoffs', key: caller.key });
    const rows = page.getByRole('table', { name: 'The latest first' }).locator('tbody tr');
    await rows
      .filter({ hasText: 'Mariam' })
      .getByText(/^≠ \d+ figures have changed$/)
      .waitFor();
    await rows
      .filter({ hasText: 'Mariam' })
      .getByText(/Contracts, Sum, platform_b: .* → /)
      .waitFor();
    await page.getByLabel('Role').selectOption('reviewed');
    await page.getByRole('button', { name: 'Show' }).click();
    await rows.filter({ hasText: 'Mariam' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).hash).toBe('#/signoffs?role=reviewed');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const text = await readFile(await file.path(), 'utf8');
    expect([text.includes('Omar'), text.includes('Mariam')]).toEqual([true, false]);
    await rows.getByRole('link', { name: 'Omar' }).click();
    await page.getByRole('table', { name: 'As signed, and as known now' }).getByRole('row').nth(1).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'The statement as it was signed' }).click();
    await signing(page)
      .getByRole('table', { name: 'Exactly these figures' })
      .getByRole('link', { name: 'Omar' })
      .waitFor();
    await page.getByText('1 USD = 3.64 QAR').waitFor();
  });

  it('are a file of the list that shows, also while another one is read', async () => {
    const caller = await withOnePayment();
    await signed(caller, 'prepared', 'Mariam');
    const { page } = await browser.open(app.url, { at: '#/signoffs', key: caller.key });
    await page.getByRole('link', { name: 'Mariam' }).waitFor();
    const release = await holdBack(page, '/api/v1/reconciliation/signoffs');
    await page.getByLabel('Role').selectOption('reviewed');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('.outdated').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(await readFile(await file.path(), 'utf8')).toContain('Mariam');
    await release();
  });

  it('are withdrawn with a reason: the review first, and both stay in the list', async () => {
    const caller = await withOnePayment();
    await signed(caller, 'prepared', 'Mariam');
    await signed(caller, 'reviewed', 'Omar');
    const { page } = await browser.open(app.url, { at: '#/signoffs', failures: 'expected', key: caller.key });
    const withdraw = async (name: string): Promise<void> => {
      await page.getByRole('link', { name: 'Sign-offs', exact: true }).click();
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByRole('button', { name: 'Withdraw …' }).click();
      await page.getByLabel('Reason').fill('CHK-9 arrived late');
      await page.getByLabel('Decided by').fill('Ada');
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    };
    await withdraw('Mariam');
    await page
      .getByRole('alert')
      .getByText(/by Omar/)
      .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await withdraw('Omar');
    await page.getByText(/Withdrawn by Ada, .*: CHK-9 arrived late/).waitFor();
    expect(await page.getByRole('button', { name: 'Withdraw …' }).count()).toBe(0);
    await withdraw('Mariam');
    await page.getByText(/Withdrawn by Ada/).waitFor();
    await page.getByRole('link', { name: 'All sign-offs' }).click();
    await page.getByText('CHK-9 arrived late').nth(1).waitFor();
  });

  it('keep the dialog that withdraws one, with what a person writes, when another person has withdrawn it', async () => {
    const caller = await withOnePayment();
    await signed(caller, 'prepared', 'Mariam');
    const { page } = await browser.open(app.url, {
      at: '#/signoffs',
      failures: 'expected',
      own: true,
      key: caller.key,
    });
    await page.getByRole('link', { name: 'Mariam', exact: true }).click();
    await page.getByRole('button', { name: 'Withdraw …' }).click();
    const asks = page.getByRole('dialog', { name: 'Withdraw the sign-off?' });
    await asks.getByLabel('Reason').fill('CHK-9 arrived late');
    const { body } = await api(app.url, caller.key).get('/reconciliation/signoffs');
    const why = { reason: 'Too early', decided_by: 'Omar' };
    const id: string = body.data[0].id;
    const there = await api(app.url, caller.key).send('DELETE', `/reconciliation/signoffs/${id}`, {
      body: why,
    });
    expect(there.status).toBe(200);
    await comeBack(page);
    await page.getByText(/Withdrawn by Omar/).waitFor({ state: 'attached' });
    expect(await asks.getByLabel('Reason').inputValue()).toBe('CHK-9 arrived late');
  });

  it('are compared with the figures of their own scope while another statement is read', async () => {
    const caller = await connected();
    const { page } = await browser.open(app.url, { key: caller.key });
    await signing(page).getByText('Nobody has signed').waitFor();
    const release = await holdBack(page, '/api/v1/reconciliation');
    await page.getByRole('combobox', { name: 'Type' }).selectOption('payment');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('.outdated').first().waitFor();
    await openDialog(page);
    await release();
    await page.getByText('Payments only').waitFor({ state: 'attached' });
    expect(await dialog(page).getByText('The figures have moved').count()).toBe(0);
  });
});
