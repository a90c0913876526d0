import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { api } from '../support/app/api';
import type { Caller, RunningApp } from '../support/app/app';
import { compared } from '../support/customers/compared';
import { startConsole } from '../support/console/console-app';
import { enter, expectFocusOn, findingsInBothSchemes, withBrowser } from '../support/console/console-browser';
import { comeBack, holdBack, isRead, show } from '../support/console/console-page';
import { decide } from '../support/customers/deciding';
import { GivenRecords, record } from '../support/platforms/given-records';
import { startPausingProxy, type PausingProxy } from '../support/http/pausing-proxy';
import { platforms } from '../support/customers/portfolio';
import { guid } from '../support/records/guid';

jest.setTimeout(240_000);

const browser = withBrowser();
const sources = new GivenRecords();
let app: RunningApp;
let proxy: PausingProxy;
beforeAll(async () => {
  app = await startConsole({ given: sources });
  proxy = await startPausingProxy(app.url);
});
afterAll(async () => {
  await proxy.close();
  await app.close();
});

type Call = ReturnType<typeof api>;

/** Two payments with one key on platform_a, one on platform_b: one pair to decide; and further payments of platform_a. */
async function pair(...further: readonly object[]): Promise<{ caller: Caller; call: Call; caseId: string }> {
  const caller = await app.openSession();
  sources.give(caller.customerId, 'platform_a', [
    record('payment', { id: 1, amount: '10.00', check_number: 'CHK-1' }),
    record('payment', { id: 2, amount: '20.00', check_number: 'chk-1' }),
    ...further.map((payload) => record('payment', payload)),
  ]);
  sources.give(caller.customerId, 'platform_b', [
    record('payment', { id: guid(1), amount: -50, currencyCode: 'USD', externalDocumentNumber: 'CHK-1' }),
  ]);
  const call = api(app.url, caller.key);
  for (const platform of platforms) await call.post('/connect', { platform });
  await compared(call);
  const { data } = (await call.get('/reconciliation/cases?kind=ambiguous')).body as {
    data: { id: string; records: { platform_id: string }[] }[];
  };
  const found = data.find(({ records }) => records[0]?.platform_id === '2');
  if (found === undefined) throw new Error('No case is about the second payment');
  return { caller, call, caseId: found.id };
}

/** Another person decides that the pair is one, which closes its case. */
async function linkPair(call: Call): Promise<void> {
  const decided = await decide(call, 'link', 'payment', ['platform_a 2', `platform_b ${guid(1)}`]);
  expect(decided.status).toBe(200);
  await compared(call);
}

const decisionsOf = async (call: Call) =>
  (await call.get('/reconciliation/decisions')).body.data as { decided_by: string; reason: string }[];

/** What a control is called: by its label, else by its text. */
const NAME = `((one) =>
  (one?.getAttribute('aria-label') ?? one?.labels?.[0]?.textContent ?? one?.textContent ?? '').trim())`;
const focused = (page: Page) => page.evaluate<string>(`${NAME}(document.activeElement)`);

/** Keys that are pressed before the page is asked where they led: to ask takes as long as to press. */
const AT_ONCE = 5;

/** Goes by Tab, or back by Shift+Tab, to a control. */
async function tabTo(page: Page, name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const back = key === 'Tab' ? 'Shift+Tab' : 'Tab';
  await page.evaluate(`{
    globalThis.passed ??= (addEventListener('focusin', ({ target }) => passed.push(${NAME}(target))), []);
    passed.length = 0;
  }`);
  for (let steps = 0; steps < 150; steps += AT_ONCE) {
    for (let presses = 0; presses < AT_ONCE; presses += 1) await page.keyboard.press(key);
    if (!(await page.evaluate<boolean>(`passed.some((one) => ${String(name)}.test(one))`))) continue;
    for (let presses = 0; presses < AT_ONCE; presses += 1) {
      if (name.test(await focused(page))) return;
      await page.keyboard.press(back);
    }
  }
  const walk = await page.evaluate<string[]>('passed.map((one) => one.slice(0, 40))');
  throw new Error(`${key} does not lead to ${String(name)}: ${walk.join(' | ')}`);
}

async function press(page: Page, name: RegExp, key?: 'Tab' | 'Shift+Tab'): Promise<void> {
  await tabTo(page, name, key);
  await page.keyboard.press('Enter');
}

async function type(page: Page, name: RegExp, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

/** Chooses in the field that has the focus, by the arrows: letters are one word only while they follow each other soon. */
async function choose(page: Page, option: string): Promise<void> {
  const steps = await page.evaluate<number>(
    `[...document.activeElement.options].findIndex(({ text }) => text === ${JSON.stringify(option)})
      - document.activeElement.selectedIndex`,
  );
  for (let step = 0; step < Math.abs(steps); step += 1) {
    await page.keyboard.press(steps < 0 ? 'ArrowUp' : 'ArrowDown');
  }
}

/** To another screen, over the navigation above. */
async function goTo(page: Page, screen: string): Promise<void> {
  await press(page, new RegExp(`^${screen}$`), 'Shift+Tab');
  await page.locator('h1:focus').waitFor();
}

describe('a month end by keyboard alone', () => {
  it('leads from the first visit to a signed statement and its file', async () => {
    const { page } = await browser.open(app.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await press(page, /^Try it with a demo session$/);
    await page.getByRole('table', { name: /^All types/ }).waitFor();
    const call = api(app.url, await page.evaluate<string>(`sessionStorage.getItem('console.demo-key')`));
    await compared(call);

    // A pair is decided.
    await goTo(page, 'Cases');
    await page.getByText(/^\d+ cases, oldest first$/).waitFor();
    await press(page, /^Skip to the list$/);
    await press(page, /^CHK-2026-0096/);
    await page.locator('h1:focus').waitFor();
    await page.getByLabel('Number, title or name').waitFor();
    await type(page, /^Number, title or name/, 'TT-2026-0041');
    await page.keyboard.press('Enter');
    await page.getByRole('radio').first().waitFor();
    await tabTo(page, /^75508914/); // The record of platform_b, by its ID.
    await page.keyboard.press('Space');
    await type(page, /^Reason/, 'One payment');
    await type(page, /^Decided by/, 'Amira');
    await press(page, /^Link …/);
    await page.getByRole('dialog', { name: 'Link these two records?' }).waitFor();
    await press(page, /^Link$/);
    await page.getByText(/^Last: Linked, .* \d+ left\.$/).waitFor();
    expect(await decisionsOf(call)).toMatchObject([{ reason: 'One payment', decided_by: 'Amira' }]);

    // A difference is settled.
    await goTo(page, 'Objects');
    await tabTo(page, /^Type/);
    await choose(page, 'Contract');
    await page.waitForURL(/type=contract/);
    await type(page, /^Number, title or name/, 'PO-DCH');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /^PO-DCH +014/ }).waitFor();
    await press(page, /^PO-DCH +014/);
    await page.getByRole('button', { name: 'Keep platform_a for number' }).waitFor();
    await press(page, /^Keep platform_a for number$/);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('table', { name: /goes to platform_b/ }).waitFor();
    await type(page, /^Reason/, 'The number on paper');
    await type(page, /^Decided by/, 'Amira');
    await press(page, /^Send the number$/);
    await page.getByRole('region', { name: 'What became of the change' }).waitFor();
    await compared(call);

    // A difference is accepted: none of a list that still has the one that is settled.
    await goTo(page, 'Cases');
    await isRead(page);
    await page.getByText(/^\d+ cases, oldest first$/).waitFor();
    await press(page, /^Skip to the list$/);
    await tabTo(page, /^Choose /);
    await page.keyboard.press('Space');
    await press(page, /^Accept …$/, 'Shift+Tab');
    await dialog.waitFor();
    await type(page, /^Reason/, 'In transit');
    await type(page, /^Decided by/, 'Amira');
    await press(page, /^Accept$/);
    await dialog.waitFor({ state: 'detached' });
    expect((await call.get('/reconciliation/cases?state=accepted')).body.data).toHaveLength(1);
    await compared(call);

    // The statement is signed, and is a file.
    await goTo(page, 'Statement');
    await isRead(page);
    await page.getByText('Complete: both platforms were read wholly').waitFor();
    await page.getByRole('button', { name: 'Sign these figures …' }).waitFor();
    await press(page, /^Sign these figures …$/);
    await page.getByText('They have not moved since you looked at them.').waitFor();
    await type(page, /^Name/, 'Mariam');
    await press(page, /^Sign as preparer$/);
    await page.getByRole('row', { name: /^Prepared Mariam .* Current/ }).waitFor();
    await tabTo(page, /^CSV$/, 'Shift+Tab');
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).toContain(await page.locator('code.digest').innerText());
    expect(text.startsWith('\uFEFF')).toBe(true);
  });
});

describe('two people at one case', () => {
  it('both have their dialog open: the second sees the decision of the first, and keeps what was written', async () => {
    const { caller, call, caseId } = await pair();
    const pages = [];
    for (const [reason, person, button, name] of [
      ['One cheque', 'Amira', /^Link …/, 'Link these two records?'],
      ['Two cheques', 'Omar', /^Not the same …/, 'These two are not the same?'],
    ] as const) {
      const { page } = await browser.open(app.url, {
        at: `#/cases/${caseId}`,
        failures: 'expected',
        key: caller.key,
      });
      const form = page.getByRole('form', { name: 'Decision' });
      await form.getByLabel('Reason').fill(reason);
      await form.getByLabel('Decided by').fill(person);
      await form.getByRole('button', { name: button }).click();
      await page.getByRole('dialog', { name }).waitFor();
      pages.push(page);
    }
    const [first, second] = pages as [Page, Page];
    await first.getByRole('button', { name: 'Link', exact: true }).click();
    await first.getByText(/^Last: Linked, /).waitFor();
    await second.getByRole('button', { name: 'Not the same', exact: true }).click();
    const theirs = second.locator('.note.warning');
    await theirs.getByText('Amira', { exact: true }).waitFor();
    await theirs.getByText('Reason: One cheque').waitFor();
    await second.getByText('CONFLICT_ERROR').waitFor();
    await second.getByRole('dialog').waitFor({ state: 'detached' });
    // The form goes with the case, which is read again after the conflict is shown; the focus leaves with the form.
    const written = second.getByRole('region', { name: 'What you had written' });
    await written.getByText('Two cheques', { exact: true }).waitFor();
    await expectFocusOn(second, 'Decide');
    await second.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await written.getByRole('button', { name: 'Copy the reason' }).click();
    await written.getByText('Copied').waitFor();
    expect(await second.evaluate('navigator.clipboard.readText()')).toBe('Two cheques');
    expect(await decisionsOf(call)).toMatchObject([{ decided_by: 'Amira', reason: 'One cheque' }]);
  });

  it('keeps the dialog of the second with what was written when the first closes the case, and says that it is closed', async () => {
    const { caller, call, caseId } = await pair();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${caseId}`,
      failures: 'expected',
      key: caller.key,
      own: true,
    });
    await page.getByRole('button', { name: 'Add a note …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a note' });
    await dialog.getByLabel('Note', { exact: true }).fill('Asked the bank');
    await linkPair(call);
    await comeBack(page);
    await dialog.getByText('The case is closed by now.').waitFor();
    expect(await dialog.getByLabel('Note', { exact: true }).inputValue()).toBe('Asked the bank');
    expect(await findingsInBothSchemes(page)).toEqual([]);
    await dialog.getByLabel('Written by').fill('Omar');
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await dialog.getByText(/^Closed, so nothing was done/).waitFor();
    expect(await dialog.getByLabel('Note', { exact: true }).inputValue()).toBe('Asked the bank');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Add a note …' }).count()).toBe(0);
    await expectFocusOn(page, 'Decide');
  });

  it('keeps the decision that the second is about to confirm when the first closes the case, and says so', async () => {
    const { caller, call, caseId } = await pair();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${caseId}`,
      failures: 'expected',
      key: caller.key,
      own: true,
    });
    const form = page.getByRole('form', { name: 'Decision' });
    await form.getByLabel('Reason').fill('Two cheques');
    await form.getByLabel('Decided by').fill('Omar');
    await form.getByRole('button', { name: /^Not the same …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'These two are not the same?' });
    await dialog.waitFor();
    await linkPair(call);
    await comeBack(page);
    await dialog.getByText('The case is closed by now.').waitFor();
    await dialog.getByText('Reason: Two cheques. Decided by Omar.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await form.count()).toBe(0);
    await page
      .getByRole('region', { name: 'What you had written' })
      .getByText('Two cheques', { exact: true })
      .waitFor();
    await expectFocusOn(page, 'Decide');
  });

  it('write a note each: none takes the place of the other', async () => {
    const { caller, caseId } = await pair();
    const at = `#/cases/${caseId}`;
    const pages = [await browser.open(app.url, { at }), await browser.open(app.url, { at })];
    for (const { page } of pages) {
      await enter(page, caller.key);
      await page.getByRole('button', { name: 'Add a note …' }).click();
    }
    for (const [index, { page }] of pages.entries()) {
      const dialog = page.getByRole('dialog', { name: 'Add a note' });
      await dialog.getByLabel('Note', { exact: true }).fill(`Asked the bank, ${index}`);
      await dialog
        .getByRole('textbox')
        .last()
        .fill(index === 0 ? 'Amira' : 'Omar');
      await dialog.getByRole('button', { name: 'Add it' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    const last = pages[1]?.page;
    await last?.getByText(/^History and notes/).click();
    for (const index of [0, 1]) await last?.getByText(`Asked the bank, ${index}`).waitFor();
  });
});

describe('a write that is under way', () => {
  it('keeps its dialog until the answer is there, which neither Cancel nor Escape closes', async () => {
    const { caller, caseId } = await pair();
    const { page } = await browser.open(app.url, { at: `#/cases/${caseId}`, key: caller.key });
    await page.getByRole('button', { name: 'Add a note …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a note' });
    await dialog.getByLabel('Note', { exact: true }).fill('Asked the bank');
    await dialog.getByLabel('Written by').fill('Amira');
    const release = await holdBack(page, `/api/v1/reconciliation/cases/${caseId}/notes`);
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await dialog.getByRole('button', { name: 'Sending …' }).waitFor();
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape');
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await release();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('History and notes (2)').waitFor();
  });

  it('leads nobody to the next case who has gone elsewhere by the browser meanwhile', async () => {
    const { caller, caseId } = await pair({ id: 3, amount: '30.00', check_number: 'CHK-3' });
    const { page } = await browser.open(app.url, { at: '#/terms', key: caller.key });
    await show(page, `/cases/${caseId}?kind=only_on`);
    await page.getByText('1 in the list').waitFor();
    const form = page.getByRole('form', { name: 'Decision' });
    await form.getByLabel('Reason').fill('One cheque');
    await form.getByLabel('Decided by').fill('Amira');
    await form.getByRole('button', { name: /^Link …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Link these two records?' });
    await dialog.waitFor();
    const release = await holdBack(page, '/api/v1/reconciliation/decisions');
    await dialog.getByRole('button', { name: 'Link', exact: true }).click();
    await dialog.getByRole('button', { name: 'Sending …' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Terms' }).waitFor();
    await release();
    await page
      .getByRole('status')
      .getByText(/^Linked\. \d+ left\.$/) // By then the way to the next case was made, or was not.
      .waitFor({ state: 'attached' });
    expect(new URL(page.url()).hash).toBe('#/terms');
  });
});

describe('a write whose answer did not come', () => {
  /** Lets a write reach the service, and its answer reach nobody, until the route is taken off. */
  async function loseResponses(page: Page, method: string, path: string): Promise<() => Promise<void>> {
    const isIt = (url: URL): boolean => url.pathname === path;
    await page.route(isIt, async (route) => {
      if (route.request().method() !== method) return route.fallback();
      await route.fetch();
      await route.abort();
    });
    return () => page.unrouteAll({ behavior: 'wait' });
  }

  it('is not made twice, also when what is sent is corrected', async () => {
    const { caller, call, caseId } = await pair();
    const { page } = await browser.open(app.url, {
      at: `#/cases/${caseId}`,
      failures: 'expected',
      key: caller.key,
    });
    await page.getByRole('button', { name: 'Add a note …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a note' });
    await dialog.getByLabel('Note', { exact: true }).fill('Asked the bank');
    await dialog.getByLabel('Written by').fill('Amira');
    const answerAgain = await loseResponses(page, 'POST', `/api/v1/reconciliation/cases/${caseId}/notes`);
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await dialog.getByText('The service cannot be reached.').waitFor();
    await dialog.getByText('Nobody knows whether it was done.').waitFor();
    await answerAgain();
    await dialog.getByLabel('Note', { exact: true }).fill('Asked the bank twice');
    for (let presses = 0; presses < 2; presses += 1) {
      const refused = page.waitForResponse((response) => response.status() === 409);
      await dialog.getByRole('button', { name: 'Add it' }).click();
      await refused;
      await dialog.getByText('CONFLICT_ERROR').waitFor();
    }
    const { body } = await call.get(`/reconciliation/cases/${caseId}`);
    const { history } = body.data as { history: { type: string; text?: string }[] };
    expect(history.flatMap(({ type, text }) => (type === 'note' ? [text] : []))).toEqual(['Asked the bank']);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('History and notes (2)').waitFor();
  });

  it('is read again when its dialog is cancelled', async () => {
    const { caller } = await pair();
    const { page } = await browser.open(app.url, { at: '#/cases', failures: 'expected', key: caller.key });
    await page
      .getByRole('checkbox', { name: /^Choose/ })
      .first()
      .check();
    await page.getByRole('button', { name: 'Assign …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Who works on it?' });
    await dialog.getByLabel('Owner').fill('Omar');
    await loseResponses(page, 'PATCH', '/api/v1/reconciliation/cases');
    await dialog.getByRole('button', { name: 'Assign' }).click();
    await dialog.getByText('The service cannot be reached.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('region', { name: 'Cases' }).getByText('Omar').waitFor();
  });
});

describe('a service that goes away midway', () => {
  afterEach(() => proxy.set('answers'));

  it('is waited for while it is silent, and asked again when it is back', async () => {
    const { caller } = await pair();
    const { page } = await browser.open(proxy.url, { failures: 'expected', key: caller.key });
    await page.getByRole('table', { name: /^All types/ }).waitFor();
    proxy.set('is silent');
    await page.getByRole('link', { name: 'Terms', exact: true }).click();
    await page
      .getByText(/^Loading /)
      .first()
      .waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Statement', exact: true }).click();
    await page.getByRole('table', { name: /^All types/ }).waitFor(); // What was read is still there.
    await page.getByRole('link', { name: 'Terms', exact: true }).click();
    proxy.set('answers');
    await page.getByText('No rate is agreed.').waitFor();
    // What a screen reads does not come, and neither does the script of another that nobody has opened yet.
    proxy.set('is away');
    await page.getByRole('link', { name: 'Statement', exact: true }).click();
    await page.getByLabel('Documents through').fill('2026-01-31');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('The service cannot be reached.').waitFor();
    await page.getByRole('link', { name: 'Changes', exact: true }).click();
    await page.getByText(/^This part of the console could not be loaded/).waitFor();
    proxy.set('answers');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText(/^Nothing was changed/).waitFor();
    await page.getByRole('link', { name: 'Statement', exact: true }).click();
    await page.getByText('All types, amounts in USD').waitFor();
  });

  it('takes nothing from the figures when the script of their sign-offs does not come, which is asked for again', async () => {
    const { caller } = await pair();
    const script = /\/console\/signing-/;
    const { page } = await browser.open(app.url, {
      failures: 'expected',
      own: true,
      key: caller.key,
      before: (page) => page.route(script, (route) => route.abort()),
    });
    await page.getByText(/^This part of the console could not be loaded/).waitFor();
    await page.getByRole('table', { name: /^All types/ }).waitFor();
    await page.unroute(script);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText(/^Nobody has signed exactly these figures/).waitFor();
  });

  it('has a decision once, when its answer did not come and it is sent again', async () => {
    const { caller, call, caseId } = await pair();
    const { page } = await browser.open(proxy.url, {
      at: `#/cases/${caseId}`,
      failures: 'expected',
      key: caller.key,
    });
    const form = page.getByRole('form', { name: 'Decision' });
    await form.getByLabel('Reason').fill('One cheque');
    await form.getByLabel('Decided by').fill('Amira');
    await form.getByRole('button', { name: /^Link …/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Link these two records?' });
    await dialog.getByText(/^Dry run:/).waitFor();
    const keys: (string | undefined)[] = [];
    let answers = false;
    // The service decides, and nobody hears of it.
    await page.route('**/api/v1/reconciliation/decisions', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const response = await route.fetch();
      if (answers) await route.fulfill({ response });
      else await route.abort();
    });
    await dialog.getByRole('button', { name: 'Link', exact: true }).click();
    await dialog.getByText('The service cannot be reached.').waitFor();
    await dialog.getByText('Reason: One cheque. Decided by Amira.').waitFor();
    answers = true;
    await dialog.getByRole('button', { name: 'Link', exact: true }).click();
    await page.getByText(/^Last: Linked, /).waitFor();
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
    expect(await decisionsOf(call)).toHaveLength(1);
  });
});
