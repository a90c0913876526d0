import type { JsonValue, PlatformName } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import type { Page, ViewportSize } from 'playwright-core';
import { api } from '../support/app/api';
import type { Caller, RunningApp } from '../support/app/app';
import { compared } from '../support/customers/compared';
import { startConsole } from '../support/console/console-app';
import { withBrowser } from '../support/console/console-browser';
import { Scales, show, type Weight } from '../support/console/console-page';
import { GivenRecords, record } from '../support/platforms/given-records';
import { platforms } from '../support/customers/portfolio';

jest.setTimeout(120_000);

const browser = withBrowser();
const sources = new GivenRecords();
let app: RunningApp;
beforeAll(async () => {
  app = await startConsole({ given: sources });
});
afterAll(() => app.close());

/** Reads both platforms and waits until the comparisons have followed. */
async function connect({ key }: Caller): Promise<ReturnType<typeof api>> {
  const call = api(app.url, key);
  for (const platform of platforms) expect((await call.post('/connect', { platform })).status).toBe(200);
  await compared(call);
  return call;
}

const MARK = 'HOSTILE';
/** What people and programs put into names: markup, a script's address, text that turns the line around, a text without an end. */
const hostile = [
  `${MARK}<img src=x onerror="document.title='taken'">`,
  `${MARK}"><script>document.title='taken'</script><svg onload="document.title='taken'">`,
  `javascript:document.title='taken'//${MARK}`,
  `${MARK}\u202Egnp.exe\u202C\u2066\u202E\u0001\uFFFE`,
  `${MARK}${'W'.repeat(2_000)}`,
] as const;
const texts =
  /^(name|title|description|notes|comment|company|(display|customer|billTo|shipTo)Name|\w+_name)$/;

/** The record with hostile text in each of its names and notes. */
function spoilt(value: JsonValue, seed: number): JsonValue {
  if (Array.isArray(value)) return value.map((one, index) => spoilt(one, seed + index));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member], index) => [
      name,
      typeof member === 'string' && texts.test(name)
        ? `${hostile[(seed + index) % hostile.length] ?? ''} ${member}`
        : spoilt(member, seed + index),
    ]),
  );
}

const spoiltRecords = (platform: PlatformName) =>
  behaviourOf(platform)
    .portfolio()
    .map(({ entityType, variant, payload }, index) =>
      record(entityType, Object(spoilt(payload, index)) as object, variant ?? undefined),
    );

describe('a hostile portfolio', () => {
  it('is text on every screen, runs nothing, and moves no page sideways', async () => {
    const caller = await app.openSession();
    for (const platform of platforms) sources.give(caller.customerId, platform, spoiltRecords(platform));
    const call = await connect(caller);
    const why = { reason: hostile[1], decided_by: hostile[3].slice(0, 60) };
    const turning = { reason: hostile[3], decided_by: hostile[3].slice(0, 60) };
    const { body: found } = await call.get('/objects?entity_type=payment&platform=platform_a&limit=1');
    const payment = found.data[0].canonical_id as string;
    const data = { notes: hostile[4] };
    await call.post('/propagate', {
      format: 'canonical',
      entity_type: 'payment',
      canonical_id: payment,
      data,
      ...why,
    });
    await call.send('PUT', '/rates', { body: { from: 'EUR', to: 'USD', rate: '1.08', ...why } });
    const { as_of, currency, digest } = await compared(call);
    const signoff = await call.post('/reconciliation/signoffs', {
      ...{ as_of, currency, digest, role: 'prepared', signed_by: hostile[0], note: hostile[2] },
    });
    expect(signoff.status).toBe(200);
    await call.send('DELETE', `/reconciliation/signoffs/${signoff.body.data.id as string}`, {
      body: turning,
    });
    const { data: cases } = (await call.get('/reconciliation/cases?limit=200')).body as {
      data: { id: string; kind: string; canonical_id: string }[];
    };
    const kinds = [...new Map(cases.map((one) => [one.kind, one])).values()];
    for (const { id } of kinds) {
      await call.send('PATCH', `/reconciliation/cases/${id}`, { body: { accepted: turning } });
    }
    const objects = [payment, ...kinds.map(({ canonical_id: id }) => id)];

    const { page } = await browser.open(app.url, { key: caller.key });
    const spoiltScreens: string[] = [];
    // The window of one screen is that in which the next one opens: it takes its time to be resized.
    let windows = [WIDE, NARROW];
    for (const at of [
      ...[
        '/',
        '/cases',
        '/connections',
        '/objects?type=contract&q=hostile',
        '/changes',
        '/signoffs',
        '/terms',
        '/translate',
      ],
      `/signoffs/${signoff.body.data.id as string}`,
      ...kinds.map(({ id }) => `/cases/${id}`),
      ...objects.flatMap((id, place) => viewsOf(place).map((view) => `/objects/${id}${view}`)),
    ]) {
      await show(page, at);
      if (at === '/translate') {
        await page.getByLabel('Record').selectOption('contract');
        await page.getByLabel('Kind of contract').selectOption('PurchaseOrderContract');
        const contract = { number: 'C-1', title: hostile.slice(0, 3).join(' ') };
        await page.getByLabel(/^Source/).fill(JSON.stringify(contract));
        await page.getByRole('button', { name: 'Translate' }).click();
        await page.getByRole('region', { name: 'Canonical' }).getByText(MARK).waitFor();
      }
      const [one, other] = [await seenNow(page), await resized(page, windows[1]).then(seenNow)];
      const [seen, narrow] = windows[0] === WIDE ? [one, other] : [other, one];
      windows = windows.toReversed();
      expect({ at, ...seen, narrow: narrow.wide }).toEqual({
        ...{ at, made: 0, links: 0, turned: [], title: seen.title, shows: seen.shows, wide: 0, narrow: 0 },
      });
      expect(seen.title).toMatch(/ · Console$/);
      if (seen.shows) spoiltScreens.push(at);
    }
    // The screens did meet hostile text.
    for (const at of [
      '/cases',
      '/objects?type=contract&q=hostile',
      '/changes',
      '/signoffs',
      '/terms',
      '/translate',
      `/cases/${kinds[0]?.id ?? ''}`,
    ]) {
      expect(spoiltScreens).toContain(at);
    }
  });
});

const views = ['', '?view=history', '?view=evidence', '?view=records'] as const;

/** The first object is seen in all views, others with all fields and in one view more. */
function viewsOf(place: number): readonly string[] {
  return ['?show=all', ...(place === 0 ? views : [views[place % views.length] ?? ''])];
}

const WIDE: ViewportSize = { width: 1280, height: 900 };
const NARROW: ViewportSize = { width: 320, height: 640 };

async function resized(page: Page, size: ViewportSize = WIDE): Promise<Page> {
  await page.setViewportSize(size);
  return page;
}

interface Seen {
  readonly made: number;
  readonly links: number;
  readonly turned: readonly string[];
  readonly title: string;
  readonly shows: boolean;
  readonly wide: number;
}

/** Elements that text has become, links that run a script, words of ours in a line that a text has turned, the title, whether hostile text shows, and pixels beyond the window. */
const seenNow = (page: Page) =>
  page.evaluate<Seen>(`({
  made: document.querySelectorAll('img, iframe, object, embed, body script, svg[onload], [onerror]').length,
  links: [...document.querySelectorAll('[href], [src], [action]')].filter((one) =>
    /^\\s*(javascript|data):/i.test(one.getAttribute('href') ?? one.getAttribute('src') ?? one.getAttribute('action'))).length,
  turned: (() => {
    const turned = new Set();
    const textsOf = (root) => document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const isInline = (one) => getComputedStyle(one).display.startsWith('inline');
    const endsTurn = (one) => !isInline(one) || /isolate|plaintext/.test(getComputedStyle(one).unicodeBidi);
    const texts = textsOf(document.querySelector('main'));
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (!text.data.includes('\\u202E') || text.parentElement.closest('pre, textarea, datalist') !== null) continue;
      let around = text.parentElement;
      while (!endsTurn(around)) around = around.parentElement;
      const rest = textsOf(around);
      rest.currentNode = text;
      let behind = '';
      const isInLine = (one) => one === around || (isInline(one) && isInLine(one.parentElement));
      while (rest.nextNode() && isInLine(rest.currentNode.parentElement)) behind += rest.currentNode.data;
      if (/[^\\s.]/.test(behind)) turned.add(behind);
    }
    return [...turned];
  })(),
  title: document.title,
  shows: document.querySelector('main').textContent.includes('${MARK}'),
  wide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
})`);

/** Books of so many payments that platform_a alone has: as many cases. */
async function booksOf(payments: number): Promise<Caller> {
  const caller = await app.openSession();
  sources.give(
    caller.customerId,
    'platform_a',
    Array.from({ length: payments }, (_, index) =>
      record('payment', { id: 100_000 + index, amount: '10.00', check_number: `CHK-${100_000 + index}` }),
    ),
  );
  sources.give(caller.customerId, 'platform_b', []);
  await connect(caller);
  return caller;
}

const lists = [
  '/cases',
  '/cases?sort=amount',
  '/cases?kind=only_on',
  '/objects?type=payment&q=chk',
  '/?entity_type=payment',
  '/changes',
  '/signoffs',
];

/** Waits for what a screen asks for last. The statement asks for its oldest item and its sign-offs when it shows. */
async function isWhole(page: Page, at: string): Promise<void> {
  if (at.startsWith('/cases')) await page.getByText(/^1–100 of [\d,]+$/).waitFor();
  if (!at.startsWith('/?')) return;
  await page.getByText(/^Oldest open item: \d/).waitFor();
  await page.getByText(/^Nobody has signed exactly these figures/).waitFor();
}

describe('ten times as many records', () => {
  it('make no list and no statement larger on the page, nor what is read for them', async () => {
    const weights: Record<string, Weight>[] = [];
    const { page } = await browser.open(app.url, { own: true });
    for (const payments of [110, 1_100]) {
      const { key } = await booksOf(payments);
      const screens: Record<string, Weight> = {};
      const scales = new Scales(page, key);
      for (const at of lists) screens[at] = await scales.weigh(at, () => isWhole(page, at));
      weights.push(screens);
    }
    const [few = {}, many = {}] = weights;
    for (const [at, { nodes, bytes }] of Object.entries(few)) {
      const ratio = { nodes: (many[at]?.nodes ?? 0) / nodes, bytes: (many[at]?.bytes ?? 0) / bytes };
      for (const share of Object.values(ratio))
        expect({ at, ratio, near: Math.abs(share - 1) <= 0.05 }).toEqual({ at, ratio, near: true });
    }
    expect(few['/cases']?.nodes).toBeGreaterThan(1_000);
  });
});
