import { isJsonArray, isJsonObject, stringifyJson, type JsonObject } from '@app/mapper';
import { fc } from '../../../../libs/mapper/src/testing/property';
import { generatedPortfolio } from '../portfolio';
import { Caller, linkOf, listOf, objectOf, type ApiResponse } from '../testing/caller';
import { startPlatformA, type PlatformAOptions, type RunningPlatformA } from '.';

let platform: RunningPlatformA;
let caller: Caller;

async function start(options: PlatformAOptions = {}): Promise<void> {
  platform = await startPlatformA({
    ...options,
    switches: { spikeLimit: 0, hourlyLimit: 0, ...options.switches },
  });
  caller = await new Caller(platform).login();
}
afterEach(async () => {
  await platform.close();
  expect(platform.control.defects).toEqual([]);
});

const ids = (rows: readonly JsonObject[]): string[] => rows.map(({ id }) => stringifyJson(id));
const project = '341276';
const contracts = `/rest/v1.0/work_order_contracts?project_id=${project}`;

describe('a list of several pages', () => {
  const portfolio = generatedPortfolio({ contracts: 200, seed: 3 }).platform_a;
  beforeEach(() => start({ portfolio }));
  const vendors = '/rest/v1.0/vendors?company_id=77410';

  it('has its size in headers, links to the others, and no next at the end', async () => {
    const total = platform.control.records('vendors').filter((row) => row['is_active'] === true).length;
    const { rows, answers } = await caller.pages(`${vendors}&per_page=10&filters[search]=`);
    expect(rows).toHaveLength(total);
    expect(new Set(ids(rows)).size).toBe(total);
    const [first, second] = answers;
    const last = answers.at(-1);
    if (first === undefined || second === undefined || last === undefined)
      throw new Error('There are too few pages');
    expect([first.headers.get('total'), first.headers.get('per-page')]).toEqual([String(total), '10']);
    expect(linkOf(first, 'prev')).toBeUndefined();
    expect(linkOf(second, 'prev')).toMatch(/[?&]page=1$/);
    expect(linkOf(second, 'first')).toMatch(/[?&]page=1$/);
    expect(linkOf(first, 'last')).toContain(`&page=${answers.length}`);
    expect(new URL(linkOf(first, 'next') ?? '').searchParams.get('filters[search]')).toBe('');
    expect([linkOf(last, 'next'), linkOf(last, 'last')]).toEqual([undefined, undefined]);
    expect(linkOf(last, 'first')).toBeDefined();
  });

  it('has no link when it is one page, unless it has', async () => {
    expect((await caller.get(vendors)).headers.get('link')).toBeNull();
    platform.control.switches.set('linkOnSinglePage', true);
    const answer = await caller.get(vendors);
    expect([linkOf(answer, 'next'), linkOf(answer, 'last')]).toEqual([undefined, expect.any(String)]);
  });

  it.each([
    ['/rest/v1.1/projects?company_id=77410&per_page=5000', '300'],
    ['/rest/v1.1/projects?company_id=77410', '100'],
    ['/rest/v1.1/projects?company_id=77410&view=ids', '200000'],
    ['/rest/v1.0/vendors?company_id=77410&per_page=5000', '100'],
    ['/rest/v1.0/vendors?company_id=77410&per_page=0', '100'],
  ])('caps its pages without a word (%s)', async (path, size) => {
    expect((await caller.get(path)).headers.get('per-page')).toBe(size);
  });

  it('has 30 invoices in a page', async () => {
    const [first] = platform.control.records('projects');
    const path = `/rest/v1.1/requisitions?project_id=${stringifyJson(first?.['id'])}`;
    expect((await caller.get(path)).headers.get('per-page')).toBe('30');
    expect((await caller.get(`${path}&per_page=1000`)).headers.get('per-page')).toBe('100');
  });

  it('is empty beyond its end, and whole where it ignores pages', async () => {
    expect(listOf(await caller.get(`${vendors}&page=99`))).toEqual([]);
    platform.control.switches.set('unpagedLists', 'vendors');
    const whole = await caller.get(`${vendors}&per_page=2`);
    expect([listOf(whole).length > 2, whole.headers.get('total')]).toEqual([true, null]);
  });

  it('may count rows that it does not show', async () => {
    const [row] = listOf(await caller.get(vendors));
    const total = Number((await caller.get(vendors)).headers.get('total'));
    platform.control.edit('hide_record', { kind: 'vendors', id: row?.['id'] ?? null });
    const hidden = await caller.get(vendors);
    expect([listOf(hidden).length, hidden.headers.get('total')]).toEqual([total - 1, String(total - 1)]);
    expect(
      (await caller.get(`/rest/v1.0/vendors/${stringifyJson(row?.['id'])}?company_id=77410`)).status,
    ).toBe(404);
    platform.control.switches.set('totalCountsHidden', true);
    expect((await caller.get(vendors)).headers.get('total')).toBe(String(total));
  });

  const small = generatedPortfolio({ contracts: 100, seed: 5 }).platform_a;

  // The model is a plain list: pages are cut from what stands there at that moment, by their place.
  it('shifts when rows come and go between its pages, as offsets do', async () => {
    const change = fc.record({
      page: fc.integer({ min: 2, max: 5 }),
      what: fc.constantFrom('first', 'last', 'delete'),
      place: fc.nat(50),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(change, { maxLength: 5 }),
        async (size, changes) => {
          await platform.close();
          await start({ portfolio: small });
          let model = ids(listOf(await caller.get(vendors)));
          const change = ({ what, place }: (typeof changes)[number]): void => {
            const like = model[place % model.length];
            if (like === undefined) return;
            if (what === 'delete') {
              platform.control.edit('delete_record', { kind: 'vendors', id: like });
              model = model.filter((id) => id !== like);
            } else {
              const at = what === 'first' ? 'start' : 'end';
              const made = platform.control.edit('insert_record', { kind: 'vendors', like, at });
              const added =
                isJsonObject(made) && isJsonArray(made['ids']) ? made['ids'].map(stringifyJson) : [];
              model = what === 'first' ? [...added, ...model] : [...model, ...added];
            }
          };
          for (const planned of changes) {
            const match = { path: `[?&]page=${planned.page}(&|$)` };
            platform.control.faults.add({ match, kind: 'run', run: () => change(planned) });
          }
          let page = 1;
          for (let next: string | undefined = `${vendors}&per_page=${size}`; next !== undefined; page += 1) {
            const answer: ApiResponse = await caller.get(next);
            expect(ids(listOf(answer))).toEqual(model.slice((page - 1) * size, page * size));
            expect(answer.headers.get('total')).toBe(String(model.length));
            next = linkOf(answer, 'next');
            expect(next === undefined).toBe(page >= Math.ceil(model.length / size));
          }
        },
      ),
      // Each case starts a platform of its own.
      { numRuns: 12 },
    );
  });
});

describe('what a list has', () => {
  beforeEach(() => start());

  it('is active projects unless others are asked for', async () => {
    await caller.call('PATCH', `/rest/v1.0/projects/${project}`, {
      company_id: 77410,
      project: { active: false },
    });
    const of = async (filter: string): Promise<number> =>
      listOf(await caller.get(`/rest/v1.1/projects?company_id=77410${filter}`)).length;
    expect([
      await of(''),
      await of('&filters[by_status]=All'),
      await of('&filters[by_status]=Inactive'),
    ]).toEqual([4, 5, 1]);
    expect(await of('&filters[project_number]=LEX-001&filters[by_status]=All')).toBe(1);
    expect(await of('&filters[name]=medical')).toBe(1);
  });

  it('is active vendors; inactive ones have a list of their own', async () => {
    const body = {
      company_id: 77410,
      vendor: { name: 'Najd Steel & Precast Company Ltd', is_active: false },
    };
    await caller.call('PATCH', '/rest/v1.0/vendors/501017', body);
    const inactive = '/rest/v1.0/companies/77410/vendors/inactive';
    expect(ids(listOf(await caller.get('/rest/v1.0/vendors?company_id=77410')))).not.toContain('501017');
    expect(ids(listOf(await caller.get(inactive)))).toEqual(['501017']);
    expect((await caller.call('PATCH', `${inactive}/501017`)).status).toBe(200);
    expect(ids(listOf(await caller.get(inactive)))).toEqual([]);
  });

  it('is narrowed by filters; unknown ones are passed over, or refused', async () => {
    const one = await caller.get(`${contracts}&filters[id][]=1945782&filters[id][]=1`);
    expect(ids(listOf(one))).toEqual(['1945782']);
    expect(ids(listOf(await caller.get(`${contracts}&filters[status]=Draft`)))).toEqual(['1945803']);
    expect(listOf(await caller.get(`${contracts}&filters[number]=C-LEX-001`))).toHaveLength(2);
    platform.control.switches.set('unknownFilters', 'refused');
    expect((await caller.get(`${contracts}&filters[number]=C-LEX-001`)).status).toBe(400);
    expect(
      listOf(await caller.get('/rest/v1.0/vendors?company_id=77410&filters[search]=5000104417')),
    ).toHaveLength(1);
  });

  it('is what changed within a range, its ends included or not', async () => {
    // One contract of the project was changed at 06:05:12.
    const range = (text: string): string => `${contracts}&filters[updated_at]=${encodeURIComponent(text)}`;
    const count = async (text: string): Promise<number> => listOf(await caller.get(range(text))).length;
    expect(await count('2026-02-01T06:05:12Z...2026-02-01T07:00:00Z')).toBe(1);
    expect(await count('2026-02-01T09:05:12+03:00...2026-02-01T07:00:00Z')).toBe(1);
    expect(await count('2026-02-01...2026-02-01')).toBe(1);
    expect(await count('2026-02-01T06:05:13Z...2026-02-02T00:00:00Z')).toBe(0);
    platform.control.switches.set('rangeEnds', 'neither');
    expect(await count('2026-02-01T06:05:12Z...2026-02-01T07:00:00Z')).toBe(0);
    expect((await caller.get(range('yesterday...today'))).status).toBe(400);
  });

  it('is shown in the view that is asked for', async () => {
    const keysOf = async (path: string): Promise<string[]> =>
      Object.keys(listOf(await caller.get(path))[0] ?? {});
    expect(await keysOf('/rest/v1.1/projects?company_id=77410&view=compact')).toEqual(['id', 'name']);
    expect((await caller.get('/rest/v1.1/projects?company_id=77410&view=ids')).text).toMatch(/^\[\d+,/);
    expect(await keysOf('/rest/v1.0/vendors?company_id=77410')).toContain('legal_name');
    expect(await keysOf('/rest/v1.0/vendors?company_id=77410&view=normal')).not.toContain('legal_name');
    expect(await keysOf(contracts)).not.toContain('description');
    expect(await keysOf(`${contracts}&view=extended`)).toContain('description');
    expect(await keysOf(`${contracts}&view=extended`)).not.toContain('line_items');
    platform.control.switches.set('linesInContractLists', true);
    expect(await keysOf(`${contracts}&view=extended`)).toContain('line_items');
    const requisitions = `/rest/v1.1/requisitions?project_id=${project}`;
    expect(await keysOf(requisitions)).not.toContain('summary');
    expect(await keysOf(`${requisitions}&view=extended`)).toContain('summary');
    expect(await keysOf(`${requisitions}&view=items`)).toContain('items');
  });

  it('is in its own order unless sorted', async () => {
    const path = '/rest/v1.1/projects?company_id=77410';
    const plain = ids(listOf(await caller.get(path)));
    platform.control.switches.set('listOrder', 'newest_first');
    expect(ids(listOf(await caller.get(path)))).toEqual([...plain].reverse());
    const names = listOf(await caller.get(`${path}&sort=-name`)).map(({ name }) => name);
    expect(names).toEqual([...names].sort().reverse());
  });

  it('lags behind writes for a while, if it does', async () => {
    platform.control.switches.set('readLagMs', 60_000);
    const made = await caller.call('POST', '/rest/v1.0/vendors', {
      company_id: 77410,
      vendor: { name: 'Late' },
    });
    const path = `/rest/v1.0/vendors/${stringifyJson(objectOf(made)['id'])}?company_id=77410`;
    expect((await caller.get(path)).status).toBe(404);
    platform.control.clock.advance(60_000);
    expect((await caller.get(path)).status).toBe(200);
  });

  it('joins both kinds of contracts, with the vendor by name', async () => {
    const rows = listOf(await caller.get(`/rest/v1.0/commitments?project_id=${project}`));
    expect(rows).toHaveLength(4);
    expect(rows[0]?.['vendor']).toEqual({ id: expect.anything(), name: 'Doha Infrastructure Partners WLL' });
  });
});
