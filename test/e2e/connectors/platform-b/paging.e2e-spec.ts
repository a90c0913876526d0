import { storedEntityTypes, type JsonObject, type StoredEntityType } from '@app/mapper';
import { generatedPortfolio } from '@app/simulators';
import type { RecordPage } from '../../../../src/platforms/connector';
import { PlatformUnavailable } from '../../../../src/platforms/platform-error';
import {
  type LivePlatformB,
  openWorkplace,
  startLivePlatformB,
  textOf,
  type Workplace,
} from '../../../support/live/live-platform-b';
import { never } from '../../../support/this-process/never';

const idsOf = (pages: readonly RecordPage[]): string[] =>
  pages.flatMap(({ records }) => records.map(({ payload }) => textOf(payload, 'id')));
const timeOf = (cursor: RecordPage['cursor']): number =>
  typeof cursor === 'string' ? Date.parse(cursor) : NaN;
const stored = (value: RecordPage['next']) => JSON.parse(JSON.stringify(value)) as RecordPage['next'];

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace();
});
afterAll(() => workplace.close());

describe('the pages of platform_b', () => {
  let live: LivePlatformB;
  const records = generatedPortfolio({ contracts: 120, seed: 3 }).platform_b;
  const countOf = (type: StoredEntityType): number =>
    records.filter(({ entityType }) => entityType === type).length;
  beforeEach(async () => {
    // The platform refuses larger pages; the connector then asks for less, down to 25.
    live = await startLivePlatformB({ portfolio: records, switches: { largestPage: 30 } }, {}, workplace);
  });
  afterEach(() => live.close());

  it('are made smaller until the platform can deliver them, and stay so', async () => {
    const pages = await live.read('contract');
    expect(pages.map((page) => page.records.length)).toEqual([
      ...Array<number>(Math.floor(countOf('contract') / 25)).fill(25),
      countOf('contract') % 25,
    ]);
    expect(live.calls().filter((call) => !call.includes('skiptoken'))).toHaveLength(8);
    expect(live.platform.control.log.list(/skiptoken/)).toHaveLength(pages.length - 1);
  });

  it('are made smaller when the platform takes too long', async () => {
    live.platform.control.switches.set('largestPage', 20_000);
    live.platform.control.faults.add({
      kind: 'status',
      status: 408,
      match: { path: '/salesOrders' },
      times: 6,
    });
    const [first] = await live.read('contract');
    expect(first?.records).toHaveLength(39);
  });

  it('can be continued at every checkpoint, by another process', async () => {
    await live.read('contract'); // The first reading of a draft gives it another version.
    const whole = await live.read('contract');
    for (const [at, { next }] of whole.entries()) {
      if (next === null) continue;
      const rest = await live.read('contract', stored(next));
      expect(rest.map((page) => page.records)).toEqual(whole.slice(at + 1).map((page) => page.records));
      expect(rest.at(-1)).toMatchObject({ complete: true, cursor: whole.at(-1)?.cursor });
    }
  });

  it('do not continue at an unknown checkpoint', async () => {
    await expect(live.read('contract', { page: 2 })).rejects.toThrow('cannot be read');
    await expect(live.read('contract', 7)).rejects.toThrow('cannot be read');
  });

  it('that follow themselves end with an error', async () => {
    live.platform.control.edit('repeat_next_page', { times: 1 });
    const failing = live.read('contract');
    await expect(failing).rejects.toThrow(PlatformUnavailable);
    await expect(failing).rejects.toThrow('platform_b leads from page to page without end');
  });

  it('show all other records while some are added and deleted', async () => {
    const seen: string[] = [];
    const before = idsOf(await live.read('project'));
    const { control } = live.platform;
    for await (const page of live.connector.read(live.connection, { entityType: 'invoice' }, null, never)) {
      const [first] = page.records;
      if (seen.length === 0 && first !== undefined) {
        control.edit('remove', { table: 'salesInvoices', id: textOf(first.payload, 'id') });
      }
      seen.push(...page.records.map(({ payload }) => textOf(payload, 'id')));
    }
    expect(seen).toHaveLength(countOf('invoice'));
    expect(new Set(seen).size).toBe(seen.length);
    expect(before).toHaveLength(countOf('project'));
  });

  it('keep their gaps across checkpoints', async () => {
    const { control } = live.platform;
    await live.choose({ journal: null });
    const journal = control.edit('insert', {
      table: 'customerPaymentJournals',
      fields: { code: 'ZZZ', displayName: 'Z', templateDisplayName: 'CASHRCPT' },
    }) as JsonObject;
    control.faults.add({
      kind: 'status',
      status: 403,
      match: { path: `/customerPayments.*journalId eq ${textOf(journal, 'id')}` },
      times: 0,
    });
    const pages = await live.read('payment');
    expect(pages.at(-1)).toMatchObject({
      complete: false,
      gaps: ['journal ZZZ: customerPayments (403)'],
    });
    expect(idsOf(pages)).toHaveLength(countOf('payment'));
    const [first] = pages;
    expect((await live.read('payment', stored(first?.next ?? null))).at(-1)).toMatchObject({
      gaps: ['journal ZZZ: customerPayments (403)'],
    });
  });
});

describe('reading what has changed on platform_b', () => {
  let live: LivePlatformB;
  beforeEach(async () => {
    live = await startLivePlatformB({}, {}, workplace);
  });
  afterEach(() => live.close());

  it.each(storedEntityTypes)('brings a %s that was changed, and not the others', async (entityType) => {
    const whole = await live.read(entityType);
    const cursor = whole.at(-1)?.cursor;
    const [first] = idsOf(whole);
    expect(typeof cursor).toBe('string');
    const tables = {
      project: 'projects',
      customer: 'customers',
      contract: 'salesOrders',
      invoice: 'salesInvoices',
      payment: 'customerPayments',
    } as const;
    live.platform.control.edit('touch', { table: tables[entityType], id: first ?? '' });
    const changed = await live.read({ entityType, since: cursor ?? null });
    expect(idsOf(changed)).toEqual([first]);
    expect(changed.at(-1)).toMatchObject({ complete: true });
    expect(timeOf(changed.at(-1)?.cursor)).toBeGreaterThanOrEqual(timeOf(cursor));
    expect(live.calls().at(-1)).toMatch(/\$orderby=lastModifiedDateTime$/);
  });

  it('begins ten minutes before the reading that gave the cursor', async () => {
    const began = Date.now();
    const [page] = await live.read('project');
    const since = timeOf(page?.cursor);
    // The platform's clock counts seconds.
    expect(since).toBeGreaterThanOrEqual(began - 601_000);
    expect(since).toBeLessThanOrEqual(Date.now() - 600_000);
  });

  it('goes on from where it was while the payments of one journal of several may not be read', async () => {
    const { control } = live.platform;
    const journal = control.edit('insert', {
      table: 'customerPaymentJournals',
      fields: { code: 'SECOND', displayName: 'Second', templateDisplayName: 'CASHRCPT' },
    }) as JsonObject;
    await live.choose({ journal: null });
    const cursor = (await live.read('payment')).at(-1)?.cursor ?? null;
    const path = `/customerPayments\\?.*${textOf(journal, 'id')}`;
    control.faults.add({ kind: 'status', status: 403, match: { path } });
    const changes = (await live.read({ entityType: 'payment', since: cursor })).at(-1);
    expect(changes).toMatchObject({ gaps: ['journal SECOND: customerPayments (403)'], cursor });
    control.faults.add({ kind: 'status', status: 403, match: { path } });
    expect((await live.read('payment')).at(-1)).not.toHaveProperty('cursor');
  });

  it.each([
    ['customer', '/customers'],
    ['payment', '/customerPaymentJournals'],
    ['payment', '/customerPayments\\?'],
  ] as const)('goes on from where it was while no %s may be read: %s', async (entityType, path) => {
    const cursor = (await live.read(entityType)).at(-1)?.cursor ?? null;
    const refuse = () => live.platform.control.faults.add({ kind: 'status', status: 403, match: { path } });
    refuse();
    expect((await live.read({ entityType, since: cursor })).at(-1)).toMatchObject({
      complete: false,
      cursor,
    });
    refuse();
    const whole = (await live.read(entityType)).at(-1);
    expect(whole).toMatchObject({ complete: false });
    expect(whole).not.toHaveProperty('cursor');
  });

  it('reads everything without a valid cursor', async () => {
    const whole = await live.read('project');
    expect(idsOf(await live.read({ entityType: 'project', since: { is: 'another' } }))).toEqual(idsOf(whole));
  });
});

describe('the calls that reading platform_b takes', () => {
  let live: LivePlatformB;
  beforeAll(async () => {
    live = await startLivePlatformB({
      portfolio: generatedPortfolio({ contracts: 1_000, seed: 7 }).platform_b,
    });
  });
  afterAll(() => live.close());

  it('are one for each page, as predicted', async () => {
    const scopes = storedEntityTypes.map((entityType) => ({ entityType }));
    const budget = await live.connector.budget(live.connection, scopes, never);
    live.calls();
    let told = 0;
    let read = 0;
    for (const { entityType } of scopes) {
      for (const page of await live.read(entityType)) {
        told += page.calls ?? 0;
        read += page.records.length;
      }
    }
    const calls = live.calls();
    // Each of the five lists fits on one page of the platform; the journal of payments has to be found first.
    expect(calls).toHaveLength(6);
    expect(told).toBe(calls.length);
    expect(budget).toEqual({ calls: calls.length, minutesAtLimit: 0 });
    expect(read).toBeGreaterThan(2_500);
    expect(live.platform.control.load().refusals).toBe(0);
  });

  it('count those that were refused because of a limit', async () => {
    live.platform.control.faults.add({ kind: 'status', status: 429, match: { path: '/projects' } });
    expect(await live.read('project')).toMatchObject([{ calls: 2, limited: 1 }]);
  });

  it('are few for changes', async () => {
    const cursors = new Map<StoredEntityType, RecordPage['cursor']>();
    for (const entityType of storedEntityTypes) {
      cursors.set(entityType, (await live.read(entityType)).at(-1)?.cursor);
    }
    const scopes = storedEntityTypes.map((entityType) => ({
      entityType,
      since: cursors.get(entityType) ?? null,
    }));
    const budget = await live.connector.budget(live.connection, scopes, never);
    live.calls();
    for (const scope of scopes) await live.read(scope);
    expect(live.calls()).toHaveLength(6);
    expect(budget.calls).toBe(6);
  });

  it('are no more where payments have no currency of their own', async () => {
    await live.choose({ customPayments: false });
    const budget = await live.connector.budget(live.connection, [{ entityType: 'payment' }], never);
    live.calls();
    await live.read('payment');
    expect(live.calls()).toHaveLength(2);
    expect(budget.calls).toBe(2);
  });
});
