import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { api } from '../support/app/api';
import type { Caller, RunningApp } from '../support/app/app';
import { compared } from '../support/customers/compared';
import { startConsole } from '../support/console/console-app';
import {
  expectFocusOn,
  findingsInBothSchemes,
  focusedName,
  withBrowser,
} from '../support/console/console-browser';
import { comeBack, holdBack } from '../support/console/console-page';
import { decide, withdraw } from '../support/customers/deciding';
import { GivenRecords, record } from '../support/platforms/given-records';
import { guid } from '../support/records/guid';

jest.setTimeout(90_000);

const browser = withBrowser();
const sources = new GivenRecords();
let app: RunningApp;
beforeAll(async () => {
  app = await startConsole({ given: sources });
});
afterAll(() => app.close());

const HOSTILE = '<img src=x onerror="document.title=1">';

/** Two payments with one key here, one there; two that one platform has alone under other keys; and further ones of platform_a. */
async function portfolio(...further: readonly object[]): Promise<Caller> {
  const opened = await app.openSession();
  sources.give(opened.customerId, 'platform_a', [
    record('payment', { id: 1, amount: '10.00', check_number: 'CHK-1', notes: HOSTILE }),
    record('payment', { id: 2, amount: '20.00', check_number: 'chk-1' }),
    record('payment', { id: 3, amount: '30.00', check_number: 'CHK-3' }),
    ...further.map((payload) => record('payment', payload)),
  ]);
  sources.give(opened.customerId, 'platform_b', [
    record('payment', { id: guid(1), amount: -50, currencyCode: 'USD', externalDocumentNumber: 'CHK-1' }),
    record('payment', { id: guid(3), amount: -30, currencyCode: 'USD', externalDocumentNumber: 'CHK-0003' }),
  ]);
  const call = api(app.url, opened.key);
  for (const platform of ['platform_a', 'platform_b']) await call.post('/connect', { platform });
  await compared(call);
  return opened;
}

interface CaseRow {
  id: string;
  kind: string;
  records: { platform: string; platform_id: string }[];
  candidates: object[];
}

async function casesOf({ key }: Caller, query = ''): Promise<CaseRow[]> {
  return (await api(app.url, key).get(`/reconciliation/cases?${query}`)).body.data as CaseRow[];
}

async function idOf(caller: Caller, platformId: string): Promise<string> {
  const found = (await casesOf(caller)).find(({ records }) => records[0]?.platform_id === platformId);
  if (found === undefined) throw new Error(`No case is about ${platformId}`);
  return found.id;
}

/** What was decided and stands, in the order of its kinds. */
async function standing({ key }: Caller): Promise<string[]> {
  const { body } = await api(app.url, key).get('/reconciliation/decisions?status=standing');
  return (body.data as { decision: string }[]).map(({ decision }) => decision).sort();
}

/** Says why, and who. */
async function give(page: Page, reason: string, person: string): Promise<void> {
  const form = page.getByRole('form', { name: 'Decision' });
  await form.getByLabel('Reason').fill(reason);
  await form.getByLabel('Decided by').fill(person);
}

interface Counting {
  readonly page: Page;
  readonly caller: Caller;
  /** Of the case that was decided, and of another one. */
  readonly ids: readonly [string, string];
  readonly release: () => Promise<void>;
}

/** A case has been decided, the person is at the list, and what is left is not counted before it is released. */
async function decidedWhileCounting(): Promise<Counting> {
  const caller = await portfolio();
  const ids = [await idOf(caller, guid(1)), await idOf(caller, '3')] as const;
  const { page } = await browser.open(app.url, { at: `#/cases/${ids[0]}`, key: caller.key });
  await page.getByRole('radio', { name: /^1: platform_a 1/ }).check();
  await give(page, 'One cheque', 'Amira');
  await page.getByRole('button', { name: /^Link …/ }).click();
  const link = page.getByRole('dialog').getByRole('button', { name: 'Link', exact: true });
  await link.waitFor();
  const release = await holdBack(page, `/api/v1/reconciliation/cases/${ids[0]}`);
  await link.click();
  await page.getByText(/^Last: Linked, /).waitFor();
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  return { page, caller, ids, release };
}

/** Lets the count come, after which the page reads its list again. */
async function releaseCount(page: Page, release: () => Promise<void>): Promise<void> {
  const isList = (url: string, limit: string): boolean => {
    const { pathname, searchParams } = new URL(url);
    return pathname === '/api/v1/reconciliation/cases' && searchParams.get('limit') === limit;
  };
  const counted = page.waitForResponse((response) => isList(response.url(), '1'));
  await release();
  const readAgain = counted.then(() => page.waitForRequest((request) => isList(request.url(), '100')));
  await readAgain;
}

/** Goes to the list and to a case, as a screen that is made anew. */
async function showAnew(page: Page, id: string): Promise<void> {
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  await page.evaluate(`location.hash = '#/cases/${id}'`);
  await heading(page).waitFor();
}

const heading = (page: Page) => page.getByRole('heading', { level: 2 });
const said = (page: Page, text: string | RegExp) =>
  page.getByRole('status').getByText(text).waitFor({ state: 'attached' });

describe('a decision', () => {
  it('is made by keyboard alone: evidence, dry run, link, next case, undo', async () => {
    const caller = await portfolio();
    const before = await casesOf(caller, 'kind=ambiguous');
    const { page, requests } = await browser.open(app.url, {
      at: '#/cases?kind=ambiguous&sort=amount',
      key: caller.key,
    });
    const atB = before.find(({ records }) => records[0]?.platform === 'platform_b');
    await page.locator(`a[href^="#/cases/${atB?.id ?? ''}"]`).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Case 1 of 3').waitFor();
    await page.getByText('2 candidates: choose one to decide about').waitFor();
    await page.getByText('A decision would settle it').waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    const compared = page.getByRole('table', { name: 'Fields that were compared' });
    await compared.getByRole('columnheader', { name: '2: platform_a 2' }).waitFor();
    await page.keyboard.press('1');
    await compared.waitFor();
    await page.getByText(/2 records of platform_a have it/).waitFor();
    await page.getByText(HOSTILE).first().waitFor({ state: 'attached' });
    expect(await page.locator('img').count()).toBe(0);
    // Without a reason nothing is tried; letters that are typed into it do nothing.
    await page.keyboard.press('l');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByLabel('Reason').focus();
    await page.keyboard.type('jklns: one payment');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Amira');
    await page.keyboard.press('Tab');
    await page.keyboard.press('l');
    const dialog = page.getByRole('dialog', { name: 'Link these two records?' });
    await dialog.getByText('Reason: jklns: one payment. Decided by Amira.').waitFor();
    await dialog.getByText(/^Dry run: 1 record moves to another object/).waitFor();
    // No letter before that one has asked for a dry run.
    expect(requests.filter((one) => one === 'POST /api/v1/reconciliation/decisions')).toHaveLength(1);
    expect(await casesOf(caller, 'kind=ambiguous')).toHaveLength(3);
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Link' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('h2:focus').waitFor();
    expect((await focusedName(page)).toLowerCase()).toBe('chk-1');
    await said(page, /^Linked\. 0 left\.|^Linked\. 1 left\./);
    await page.getByText(/^Last: Linked, CHK-1\. \d left\.$/).waitFor();

    await heading(page).focus();
    await page.keyboard.press('u');
    const undo = page.getByRole('dialog', { name: 'Withdraw the decision?' });
    await undo.getByText(/^Dry run:/).waitFor();
    await undo.getByLabel('Reason').fill('Two payments');
    await undo.getByRole('button', { name: 'Withdraw it' }).click();
    await said(page, /candidates are back/);
    await page.getByText('2 candidates: choose one to decide about').waitFor();
    expect(
      (await casesOf(caller, 'kind=ambiguous')).map(({ candidates }) => candidates.length).sort(),
    ).toEqual(before.map(({ candidates }) => candidates.length).sort());
  });

  it('is the last one, whose count follows on whichever screen the person is by then', async () => {
    const { page, caller, ids, release } = await decidedWhileCounting();
    await page.evaluate(`location.hash = '#/cases/${ids[1]}'`);
    await page.getByText('Last: Linked, CHK-1. Counting what is left …').waitFor();
    await release();
    await page.getByText(/^Last: Linked, CHK-1\. \d left\.$/).waitFor();
    expect(await standing(caller)).toEqual(['link']);
  });

  it('stays the last one when the count of the one before comes', async () => {
    const { page, ids, release } = await decidedWhileCounting();
    await page.evaluate(`location.hash = '#/cases/${ids[1]}'`);
    await heading(page).filter({ hasText: 'CHK-3' }).waitFor();
    await page.getByLabel('Number, title or name').fill('CHK-0003');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('radio', { name: guid(3) }).check();
    await give(page, 'Leading zeros', 'Amira');
    await page.getByRole('button', { name: /^Link …/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByText(/^Last: Linked, CHK-3\. \d left\.$/).waitFor();
    await releaseCount(page, release);
    await showAnew(page, ids[1]);
    await page.getByText(/^Last: Linked, CHK-3\. \d left\.$/).waitFor();
  });

  it('that is undone does not come back when its count comes', async () => {
    const { page, ids, release } = await decidedWhileCounting();
    await page.evaluate(`location.hash = '#/cases/${ids[1]}'`);
    await page.getByRole('button', { name: /^Undo …/ }).click();
    const undo = page.getByRole('dialog', { name: 'Withdraw the decision?' });
    await undo.getByLabel('Reason').fill('Two payments');
    await undo.getByRole('button', { name: 'Withdraw it' }).click();
    await said(page, /candidates are back/);
    await releaseCount(page, release);
    await showAnew(page, ids[1]);
    expect(await page.getByText(/^Last: /).count()).toBe(0);
  });

  it('keeps the reason that a person writes, for its own case, while they look at the object', async () => {
    const caller = await portfolio();
    const ids = [await idOf(caller, '3'), await idOf(caller, '2')] as const;
    const { page } = await browser.open(app.url, { at: `#/cases/${ids[0]}`, key: caller.key });
    await give(page, 'Leading zeros', 'Amira');
    await page.locator('main a[href^="#/objects/"]').first().click();
    await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor();
    await page.goBack();
    await heading(page).filter({ hasText: 'CHK-3' }).waitFor();
    const reason = page.getByRole('form', { name: 'Decision' }).getByLabel('Reason');
    expect(await reason.inputValue()).toBe('Leading zeros');
    // A text that is changed in its middle has the cursor there.
    await reason.press('Home');
    await reason.pressSequentially('2 ');
    expect(await reason.inputValue()).toBe('2 Leading zeros');
    await page.evaluate(`location.hash = '#/cases/${ids[1]}'`);
    await heading(page).filter({ hasText: 'chk-1' }).waitFor();
    expect(await reason.inputValue()).toBe('');
  });

  it('says to those who see the page that the list has ended, and that a record has to be chosen first', async () => {
    const caller = await portfolio();
    const list = await casesOf(caller, 'kind=ambiguous');
    const { page } = await browser.open(app.url, {
      at: `#/cases/${list.at(-1)?.id ?? ''}?kind=ambiguous`,
      key: caller.key,
    });
    await page.getByText('Case 3 of 3').waitFor();
    await heading(page).focus();
    await page.keyboard.press('j');
    const end = page.getByRole('main').getByText('That was the last case of the list.');
    await end.waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await page.keyboard.press('k');
    await page.getByText('Case 2 of 3').waitFor();
    expect(await end.count()).toBe(0);
    await page.evaluate(`location.hash = '#/cases/${await idOf(caller, guid(1))}'`);
    await page.getByText('2 candidates: choose one to decide about').waitFor();
    await heading(page).focus();
    await page.keyboard.press('l');
    const first = page.getByRole('form', { name: 'Decision' }).getByText('Choose a record first.');
    await first.waitFor();
    await page.keyboard.press('1');
    await first.waitFor({ state: 'detached' });
  });

  it('says that it could not be read why its records are not linked', async () => {
    const caller = await portfolio();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, '3')}`,
      failures: 'expected',
      key: caller.key,
      before: (page) =>
        page.route('**/api/v1/objects/*', (route) =>
          route.fulfill({
            status: 400,
            json: { error: { type: 'VALIDATION_ERROR', message: 'Not now', request_id: 'req_1' } },
          }),
        ),
    });
    await page
      .getByRole('region', { name: 'Why not linked' })
      .getByRole('alert')
      .getByText('Not now')
      .waitFor();
    await page.unroute('**/api/v1/objects/*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('region', { name: 'Why not linked' }).waitFor({ state: 'detached' });
  });

  it('rules the other candidates out where the person wants it, and is undone with them', async () => {
    const caller = await portfolio();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, guid(1))}`,
      key: caller.key,
    });
    await page.getByRole('radio', { name: /^1: platform_a 1/ }).check();
    await give(page, 'One cheque', 'Amira');
    await page.getByRole('button', { name: /^Link …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Link these two records?' });
    const others = dialog.getByLabel('The other candidate is not the same');
    expect(await others.isChecked()).toBe(false);
    await others.check();
    await dialog.getByText(`platform_b ${guid(1)} is not platform_a 2: chk-1, 20.00 USD`).waitFor();
    await dialog
      .getByText(/^Dry run:/)
      .nth(1)
      .waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Link', exact: true }).dblclick();
    await said(page, /^Linked, 1 ruled out\./);
    expect(await standing(caller)).toEqual(['link', 'not_same']);

    await page.getByRole('button', { name: /^Undo …/ }).click();
    const undo = page.getByRole('dialog', { name: 'Withdraw these 2 decisions?' });
    await undo.getByText(/^Dry run:/).waitFor();
    await undo.getByLabel('Reason').fill('Two cheques after all');
    await undo.getByRole('button', { name: 'Withdraw them' }).dblclick();
    await said(page, /candidates are back/);
    expect(await standing(caller)).toEqual([]);
    await page.getByText('2 candidates: choose one to decide about').waitFor();
  });

  it.each([
    [
      'that meets a conflict',
      (route: Route) =>
        route.fulfill({
          status: 409,
          json: {
            error: { type: 'CONFLICT_ERROR', message: 'Other work is under way', request_id: 'req_12345678' },
          },
        }),
      (page: Page) => page.getByText('Other work is under way').waitFor(),
    ],
    [
      'that has no answer, when the person gives up',
      (route: Route) => route.abort(),
      async (page: Page) => {
        await page.getByRole('dialog').getByText('The service cannot be reached.').waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click();
      },
    ],
  ])('is undone with the rejections that were made before one %s', async (_what, answer, goOn) => {
    const caller = await portfolio({ id: 4, amount: '40.00', check_number: 'CHK-1' });
    const at = `#/cases/${await idOf(caller, guid(1))}`;
    const { page } = await browser.open(app.url, {
      at,
      failures: 'expected',
      key: caller.key,
      before: async (page) => {
        // The second of two rejections does not reach the service. Those of a dialog have its key, with their number.
        await page.route('**/api/v1/reconciliation/decisions', (route) =>
          route.request().headers()['idempotency-key']?.endsWith('.1') === true
            ? answer(route)
            : route.continue(),
        );
      },
    });
    await page.getByRole('radio', { name: /^1: platform_a 1/ }).check();
    await give(page, 'One cheque', 'Amira');
    await page.getByRole('button', { name: /^Link …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Link these two records?' });
    await dialog.getByLabel('The other 2 candidates are not the same').check();
    await dialog.getByRole('button', { name: 'Link', exact: true }).click();
    await goOn(page);
    await page.getByText(/^Last: Linked, 1 ruled out, CHK-1\./).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await standing(caller)).toEqual(['link', 'not_same']);
    // What this person has decided is not shown as what another one has.
    expect(await page.getByText('has decided').count()).toBe(0);

    await page.getByRole('button', { name: /^Undo …/ }).click();
    const undo = page.getByRole('dialog', { name: 'Withdraw these 2 decisions?' });
    await undo.getByText(/^Dry run: 1 record moves/).waitFor();
    await undo.getByLabel('Reason').fill('Once more, all of it');
    await undo.getByRole('button', { name: 'Withdraw them' }).click();
    await said(page, /candidates are back/);
    expect(await standing(caller)).toEqual([]);
  });

  it('says what its undo has withdrawn when the next of several is refused, and shows what stands then', async () => {
    const caller = await portfolio();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, guid(1))}`,
      key: caller.key,
      failures: 'expected',
    });
    await page.getByRole('radio', { name: /^1: platform_a 1/ }).check();
    await give(page, 'One cheque', 'Amira');
    await page.getByRole('button', { name: /^Link …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Link these two records?' });
    await dialog.getByLabel('The other candidate is not the same').check();
    await dialog.getByRole('button', { name: 'Link', exact: true }).click();
    await said(page, /^Linked, 1 ruled out\./);

    await page.getByRole('button', { name: /^Undo …/ }).click();
    const undo = page.getByRole('dialog', { name: 'Withdraw these 2 decisions?' });
    await undo.getByText(/^Dry run:/).waitFor();
    await page.route('**/api/v1/reconciliation/decisions/*', (route) =>
      route.request().headers()['idempotency-key']?.endsWith('.1') === true
        ? route.fulfill({
            status: 409,
            json: {
              error: { type: 'CONFLICT_ERROR', message: 'Other work is under way', request_id: 'req_1' },
            },
          })
        : route.continue(),
    );
    await undo.getByLabel('Reason').fill('Two cheques after all');
    await undo.getByRole('button', { name: 'Withdraw them' }).click();
    await undo.getByText('Other work is under way').waitFor();
    await undo.getByText('1 of these 2 decisions is withdrawn:').waitFor();
    await undo.getByText(`Linked, platform_a 1 and platform_b ${guid(1)}`).waitFor();
    expect(await standing(caller)).toEqual(['not_same']);
    await undo.getByRole('button', { name: 'Cancel' }).click();
    await undo.waitFor({ state: 'detached' });

    await page.unroute('**/api/v1/reconciliation/decisions/*');
    await page.getByRole('button', { name: /^Undo …/ }).click();
    await undo.getByLabel('Reason').fill('Two cheques after all');
    await undo.getByRole('button', { name: 'Withdraw them' }).click();
    await said(page, /candidates are back/);
    expect(await standing(caller)).toEqual([]);
  });

  it('is undone with the others where another person has withdrawn one of them meanwhile', async () => {
    const caller = await portfolio();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, guid(1))}`,
      key: caller.key,
    });
    await page.getByRole('radio', { name: /^1: platform_a 1/ }).check();
    await give(page, 'One cheque', 'Amira');
    await page.getByRole('button', { name: /^Link …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Link these two records?' });
    await dialog.getByLabel('The other candidate is not the same').check();
    await dialog.getByRole('button', { name: 'Link', exact: true }).click();
    await said(page, /^Linked, 1 ruled out\./);
    const client = api(app.url, caller.key);
    const { body } = await client.get('/reconciliation/decisions?status=standing&decision=link');
    expect((await withdraw(client, body.data[0].id as string)).status).toBe(200);

    await page.getByRole('button', { name: /^Undo …/ }).click();
    const undo = page.getByRole('dialog', { name: 'Withdraw these 2 decisions?' });
    await undo.getByLabel('Reason').fill('Two cheques after all');
    await undo.getByRole('button', { name: 'Withdraw them' }).click();
    await said(page, /candidates are back/);
    expect(await standing(caller)).toEqual([]);
  });

  it('stands in a list with its reason and in a file, and is withdrawn there', async () => {
    const caller = await portfolio();
    const records = [
      { platform: 'platform_a', platform_id: '2' },
      { platform: 'platform_b', platform_id: guid(1) },
    ];
    const body = {
      decision: 'not_same',
      entity_type: 'payment',
      records,
      reason: HOSTILE,
      decided_by: 'Omar',
    };
    await api(app.url, caller.key).post('/reconciliation/decisions', body);
    const { page } = await browser.open(app.url, { at: '#/decisions', key: caller.key });
    const row = page.getByRole('row', { name: /Not the same.*platform_a 2.*Omar/ });
    await row.getByText(HOSTILE).waitFor();
    expect(await row.getByRole('link').count()).toBe(2);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV of these' }).click(),
    ]);
    expect(await readFile(await file.path(), 'utf8')).toContain('Omar');
    await row.getByRole('button', { name: /^Withdraw …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Withdraw the decision?' });
    await dialog.getByLabel('Reason').fill('It is the same');
    await dialog.getByLabel('Decided by').fill('Amira');
    await dialog.getByRole('button', { name: 'Withdraw it' }).dblclick();
    await page.getByText('No decision stands').waitFor();
    expect(await standing(caller)).toEqual([]);
    await page.getByRole('combobox', { name: 'Decisions' }).selectOption('withdrawn');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText(/^by Amira, .*: It is the same$/).waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });

  it('keeps the dialog that withdraws it, with what a person writes, when its row goes behind it', async () => {
    const caller = await portfolio();
    const { body } = await decide(api(app.url, caller.key), 'not_same', 'payment', [
      'platform_a 2',
      `platform_b ${guid(1)}`,
    ]);
    const { page } = await browser.open(app.url, { at: '#/decisions', key: caller.key, own: true });
    await page.getByRole('button', { name: /^Withdraw …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Withdraw the decision?' });
    await dialog.getByLabel('Reason').fill('It is the same');
    // Another person withdraws it by then.
    expect((await withdraw(api(app.url, caller.key), body.data.id as string)).status).toBe(200);
    await comeBack(page);
    await page.getByText('No decision stands').waitFor({ state: 'attached' });
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('It is the same');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    // The button of the row has gone.
    await expectFocusOn(page, 'Decisions');
  });

  it('is not withdrawn before the person sees what that does', async () => {
    const caller = await portfolio();
    await decide(api(app.url, caller.key), 'not_same', 'payment', ['platform_a 2', `platform_b ${guid(1)}`]);
    const { page } = await browser.open(app.url, {
      at: '#/decisions',
      key: caller.key,
      failures: 'expected',
    });
    await page.getByRole('button', { name: /^Withdraw …/ }).waitFor();
    let tries = 0;
    const refusal = { error: { type: 'TRANSFORM_ERROR', message: 'Not now', request_id: 'req_1' } };
    await page.route('**/api/v1/reconciliation/decisions/*', (route) => {
      tries += 1;
      return tries === 1 ? route.fulfill({ status: 422, json: refusal }) : route.continue();
    });
    await page.getByRole('button', { name: /^Withdraw …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Withdraw the decision?' });
    await dialog.getByLabel('Reason').fill('It is the same');
    await dialog.getByLabel('Decided by').fill('Amira');
    await dialog.getByText('Not now').waitFor();
    expect(await dialog.getByRole('button', { name: 'Withdraw it' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Decided by').press('Enter');
    expect(tries).toBe(1);
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await dialog.getByText(/^Dry run:/).waitFor();
    await dialog.getByRole('button', { name: 'Withdraw it' }).click();
    await page.getByText('No decision stands').waitFor();
  });

  it('is in the file of the list that shows, also while another one is read', async () => {
    const caller = await portfolio();
    const records = [
      { platform: 'platform_a', platform_id: '3' },
      { platform: 'platform_b', platform_id: guid(3) },
    ];
    const why = { reason: 'Two cheques', decided_by: 'Omar' };
    const body = { decision: 'not_same', entity_type: 'payment', records, ...why };
    await api(app.url, caller.key).post('/reconciliation/decisions', body);
    const { page } = await browser.open(app.url, { at: '#/decisions', key: caller.key });
    await page.getByRole('row', { name: /Not the same.*Omar/ }).waitFor();
    const release = await holdBack(page, '/api/v1/reconciliation/decisions');
    await page.getByRole('combobox', { name: 'Decisions' }).selectOption('withdrawn');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('.outdated').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV of these' }).click(),
    ]);
    expect(await readFile(await file.path(), 'utf8')).toContain('Two cheques');
    await release();
  });

  it('that these are not the same takes the candidate away, and survives a connect', async () => {
    const caller = await portfolio();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, '2')}`,
      key: caller.key,
    });
    await page.getByText('1 candidate', { exact: true }).waitFor();
    await give(page, 'Another cheque', 'Amira');
    await page.getByRole('button', { name: 'Not the same …' }).click();
    const dialog = page.getByRole('dialog', { name: 'These two are not the same?' });
    await dialog.getByRole('button', { name: 'Not the same' }).dblclick();
    await said(page, /^Not the same\. \d left\./);
    await api(app.url, caller.key).post('/connect', { platform: 'platform_b' });
    await compared(api(app.url, caller.key));
    const pairs = (await casesOf(caller)).filter(({ kind }) => kind === 'ambiguous');
    expect(JSON.stringify(pairs)).not.toContain('"platform_id":"2"');
    const { data } = (await api(app.url, caller.key).get('/reconciliation/decisions')).body as {
      data: object[];
    };
    expect(data).toHaveLength(1);
  });

  it('whose end parts two records leaves the closed case with the fields of both as they are now', async () => {
    const caller = await portfolio();
    const call = api(app.url, caller.key);
    const linked = await decide(call, 'link', 'payment', ['platform_a 3', `platform_b ${guid(3)}`]);
    await compared(call);
    const [differing] = await casesOf(caller, 'kind=disagreement');
    await withdraw(call, linked.body.data.id as string);
    await compared(call);
    const { page } = await browser.open(app.url, {
      at: `#/cases/${differing?.id ?? ''}?state=closed`,
      key: caller.key,
    });
    const now = page.getByRole('region', { name: 'As it is now' });
    await now.getByText(`its records were platform_a 3 and platform_b ${guid(3)}`).waitFor();
    const columns = await now.getByRole('columnheader').allInnerTexts();
    expect(columns.slice(1)).toEqual(['platform_a', 'platform_b', 'Compared']);
    await now.getByRole('row', { name: 'check number CHK-3 CHK-0003' }).waitFor();
    expect(await findingsInBothSchemes(page)).toEqual([]);
  });

  it('is about a list as it was at a moment, which shows in the time zone of the customer', async () => {
    const caller = await portfolio();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, '3')}?as_of=2026-01-31T22:30:00.000Z`,
      key: caller.key,
      failures: 'expected',
      before: (page) =>
        page.route('**/api/v1/me', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { data: { customer: { time_zone: string } } };
          body.data.customer.time_zone = 'Asia/Qatar';
          await route.fulfill({ response, json: body });
        }),
    });
    await page.getByText(/^The list is that of 1 Feb 2026, 01:30:00\./).waitFor();
  });

  it('finds the record under another key, and links it', async () => {
    const caller = await portfolio();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, '3')}`,
      key: caller.key,
    });
    await heading(page).focus();
    await page.keyboard.press('/');
    await page.keyboard.type('0003');
    expect(await page.getByLabel('Number, title or name').inputValue()).toBe('0003');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    // The search finds beginnings, and says so.
    await page.getByText('Nothing on platform_b has words that begin like this.').waitFor();
    await page.getByLabel('Number, title or name').fill('CHK-0');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('radio', { name: guid(3) }).check();
    await give(page, 'Leading zeros', 'Amira');
    const both = [`platform_a 3: CHK-3, 30.00 USD`, `platform_b ${guid(3)}: CHK-0003, 30.00 USD`];
    const form = page.getByRole('form', { name: 'Decision' });
    expect(await form.getByRole('listitem').allInnerTexts()).toEqual(both);
    await page.getByRole('button', { name: /^Link …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Link these two records?' });
    const pair = dialog.getByRole('list', { name: 'The two records' });
    await pair.waitFor();
    expect(await pair.getByRole('listitem').allInnerTexts()).toEqual(both);
    await dialog.getByRole('button', { name: 'Link', exact: true }).click();
    await said(page, /^Linked\. \d left\./);
    expect((await casesOf(caller)).filter(({ kind }) => kind === 'only_on')).toEqual([]);
  });

  it('is not offered to find a record that is there, with a later date', async () => {
    const { key, customerId } = await app.openSession();
    const onA = { id: 1, amount: '10.00', check_number: 'CHK-1', date: '2026-06-30' };
    const onB = {
      amount: -10,
      currencyCode: 'USD',
      externalDocumentNumber: 'CHK-1',
      postingDate: '2026-07-02',
    };
    sources.give(customerId, 'platform_a', [record('payment', onA)]);
    sources.give(customerId, 'platform_b', [record('payment', { id: guid(1), ...onB })]);
    const call = api(app.url, key);
    for (const platform of ['platform_a', 'platform_b']) await call.post('/connect', { platform });
    await compared(call);
    const { page } = await browser.open(app.url, { at: '#/cases?through=2026-06-30', key });
    const row = page.getByRole('row', { name: /CHK-1/ });
    await row.getByText('its record on platform_b has a later date').waitFor();
    await row.getByRole('link', { name: 'CHK-1' }).first().click();
    await page.getByText('A change of date on platform_a or platform_b would settle it.').waitFor();
    expect(await page.getByText('no such record').count()).toBe(0);
    expect(await page.getByText('Find it on').count()).toBe(0);
  });

  it('finds what it has linked as linked', async () => {
    const caller = await portfolio({ id: 4, amount: '30.00', check_number: 'CHK-4' });
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, '3')}`,
      key: caller.key,
    });
    const find = async (): Promise<void> => {
      await page.getByLabel('Number, title or name').fill('CHK-0003');
      await page.getByRole('button', { name: 'Find', exact: true }).click();
      await page.getByRole('radio', { name: guid(3) }).waitFor();
    };
    await find();
    await page.getByRole('radio', { name: guid(3) }).check();
    await give(page, 'The same payment', 'Amira');
    await page.getByRole('button', { name: /^Link …/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Link', exact: true }).click();
    await said(page, /^Linked\. /);
    await page.evaluate(`location.hash = '#/cases/${await idOf(caller, '4')}'`);
    await heading(page).filter({ hasText: 'CHK-4' }).waitFor();
    await find();
    await page.getByText('has a record on platform_a already').waitFor();
    expect(await page.getByRole('radio', { name: guid(3) }).isDisabled()).toBe(true);
  });

  it('finds the record also behind many of the other platform with the same words', async () => {
    const many = Array.from({ length: 25 }, (_, index) => ({
      id: 100 + index,
      amount: '5.00',
      check_number: `CHK-0 ${100 + index}`,
    }));
    const caller = await portfolio(...many);
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, '3')}`,
      key: caller.key,
    });
    await page.getByLabel('Number, title or name').fill('CHK-0');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('radio', { name: guid(3) }).waitFor();
    expect(
      await page
        .getByRole('table', { name: /^Found on/ })
        .locator('tbody tr')
        .count(),
    ).toBe(1);
    expect(await page.getByRole('navigation', { name: 'Pages of what was found' }).count()).toBe(0);
  });

  it('does not lead on to the next page of the list where the person has gone elsewhere meanwhile', async () => {
    const many = Array.from({ length: 110 }, (_, index) => ({
      id: 100 + index,
      amount: '5.00',
      check_number: `ADV ${index}`,
    }));
    const caller = await portfolio(...many);
    const list = await casesOf(caller, 'kind=only_on&limit=100');
    const { page } = await browser.open(app.url, {
      at: `#/cases/${list[99]?.id ?? ''}?kind=only_on`,
      key: caller.key,
    });
    await page.getByText('Case 100 of').waitFor();
    const release = await holdBack(page, '/api/v1/reconciliation/cases');
    await page.getByRole('button', { name: '↓ Next' }).click();
    await page.getByRole('link', { name: 'Terms' }).click();
    await page.getByRole('table', { name: 'What becomes of a change' }).waitFor();
    await release();
    // By then the page has followed the answer, or has not.
    await page.getByRole('button', { name: 'Requests' }).click();
    await page.getByRole('table', { name: /calls of this tab/ }).waitFor();
    expect(new URL(page.url()).hash).toBe('#/terms');
  });

  it('leads to no case on the next page of the list that it is about as well', async () => {
    const caller = await portfolio();
    const all = await casesOf(caller);
    const [own, settled, next] = [guid(1), '2', '3'].map((id) =>
      all.find(({ records }) => records[0]?.platform_id === id),
    );
    const { page } = await browser.open(app.url, {
      at: `#/cases/${own?.id ?? ''}`,
      key: caller.key,
      before: (page) =>
        page.route(
          (url) => url.pathname === '/api/v1/reconciliation/cases' && url.searchParams.get('limit') === '100',
          async (route) => {
            const isSecond = new URL(route.request().url()).searchParams.has('cursor');
            const response = await route.fetch({ url: `${app.url}/api/v1/reconciliation/cases?limit=100` });
            const body = (await response.json()) as object;
            const [data, cursor] = isSecond ? [[settled, next], null] : [[own], 'second'];
            await route.fulfill({ response, json: { ...body, data, next_cursor: cursor } });
          },
        ),
    });
    await page.getByRole('radio', { name: /^2: platform_a 2/ }).check();
    await give(page, 'One cheque', 'Amira');
    await page.getByRole('button', { name: /^Link …/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Link', exact: true }).click();
    await said(page, /^Linked\. /);
    expect(new URL(page.url()).hash).toContain(next?.id);
  });

  it('that contradicts another person’s shows that one', async () => {
    const caller = await portfolio();
    const at = `#/cases/${await idOf(caller, '2')}`;
    const [first, second] = await Promise.all([
      browser.open(app.url, { at, key: caller.key }),
      browser.open(app.url, { at, key: caller.key, failures: 'expected' }),
    ]);
    for (const { page } of [first, second]) {
      await page.getByText('1 candidate', { exact: true }).waitFor();
    }
    await give(second.page, 'Two cheques', 'Omar');
    await give(first.page, 'One cheque', 'Amira');
    await first.page.getByRole('button', { name: /^Link …/ }).click();
    await first.page.getByRole('dialog').getByRole('button', { name: 'Link', exact: true }).click();
    await said(first.page, /^Linked\./);
    await second.page.getByRole('button', { name: 'Not the same …' }).click();
    await second.page.getByText(/The standing decision .* withdraw it first/).waitFor();
    const theirs = second.page.locator('.note.warning');
    await theirs.getByText('Amira', { exact: true }).waitFor();
    await theirs.getByText('Reason: One cheque').waitFor();
    expect(await second.page.getByRole('dialog').count()).toBe(0);
  });

  it('that contradicts one shows it also behind many others', async () => {
    const caller = await portfolio();
    const call = api(app.url, caller.key);
    const pair = ['platform_a 2', `platform_b ${guid(1)}`] as const;
    const { page } = await browser.open(app.url, {
      at: `#/cases/${await idOf(caller, '2')}`,
      failures: 'expected',
      key: caller.key,
      before: (page) =>
        page.route('**/api/v1/reconciliation/decisions?*', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { data: { records: object[] }[] };
          const limit = Number(new URL(route.request().url()).searchParams.get('limit'));
          const others = Array.from({ length: 120 }, (_, index) => ({
            ...body.data[0],
            id: `dec_${index}`,
            records: [{ platform: 'platform_a', platform_id: `other ${index}` }],
          }));
          await route.fulfill({
            response,
            json: { ...body, data: [...others, ...body.data].slice(0, limit) },
          });
        }),
    });
    await page.getByText('1 candidate', { exact: true }).waitFor();
    await give(page, 'Two cheques', 'Omar');
    expect((await decide(call, 'link', 'payment', [...pair])).status).toBe(200);
    await page.getByRole('button', { name: 'Not the same …' }).click();
    await page.locator('.note.warning').getByText('has decided').waitFor();
  });

  it('is not offered to a key that may not decide, and letters can be switched off', async () => {
    const caller = await portfolio();
    const list = await casesOf(caller);
    const { page } = await browser.open(app.url, {
      at: `#/cases/${list[0]?.id ?? ''}`,
      key: caller.key,
      before: (page) =>
        page.route('**/api/v1/me', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { data: { key: { permissions: string[] } } };
          body.data.key.permissions = ['read'];
          await route.fulfill({ response, json: body });
        }),
    });
    await heading(page).waitFor();
    expect(await page.getByRole('button', { name: /Link|Not the same|Accept|Undo/ }).count()).toBe(0);
    // Before the list is read, no letter leads on in it.
    await page.getByText(/^Case 1 of \d+$/).waitFor();
    await page.getByLabel('Letter keys').uncheck();
    const url = page.url();
    await page.keyboard.press('j');
    expect(page.url()).toBe(url);
    await page.getByLabel('Letter keys').check();
    await page.keyboard.press('?');
    await page.getByText('undo the last decision').waitFor();
    await page.getByText('find the record that is missing, where one is').waitFor();
    await page.keyboard.press('j');
    await page.waitForURL((now) => now.href !== url);
    await page.getByText(/^Case 2 of \d+$/).waitFor();
  });
});
