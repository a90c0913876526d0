import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide } from '../../support/customers/deciding';
import { expectError } from '../../support/app/expectations';
import { cellsOf, csvOf, rowsOf } from '../../support/customers/exported-files';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed } from '../../support/customers/listings';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const csv = { Accept: 'text/csv' };

describe('every file', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let key: string;
  let client: ReturnType<typeof api>;
  let customerId: string;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    ({ key, customerId } = await service.issueKey('test'));
    client = api(service.url, key);
    sources.give(customerId, a, [
      record('project', { id: 1, project_number: 'P-1', name: 'Tower, "north"' }),
      ...[10, 20, 30].map((amount, place) =>
        record('payment', {
          id: place + 1,
          amount: `${amount}.00`,
          check_number: `K-${place}`,
          notes: 'one\r\ntwo; "three"',
          project_id: 1,
        }),
      ),
    ]);
    sources.give(
      customerId,
      b,
      [10, 25].map((amount, place) =>
        record('payment', {
          id: `b${place}`,
          amount: -amount,
          currencyCode: 'USD',
          externalDocumentNumber: `K-${place}`,
          comment: 'other',
        }),
      ),
    );
    for (const platform of [a, b]) await connect(client, platform);
    await decide(client, 'not_same', 'payment', [`${a} 3`, `${b} b0`], { reason: 'One,\r\ntwo' });
  });
  afterAll(() => service.close());

  const paths = [
    '/reconciliation',
    '/reconciliation?through=2026-06-30&age_by=document',
    '/reconciliation/cases',
    '/reconciliation/cases?sort=amount&state=all',
    '/reconciliation/decisions',
    `/objects?platform=${a}&entity_type=payment`,
    `/objects?platform=${b}&entity_type=customer`,
  ];
  const withHead = (path: string, head: string) => `${path}${path.includes('?') ? '&' : '?'}head=${head}`;

  it.each(paths)('%s is a plain rectangle without its head', async (path) => {
    const whole = await csvOf(service.url, key, path);
    const plain = await csvOf(service.url, key, withHead(path, 'false'));
    const rows = cellsOf(plain);
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    expect(new Set(rows[0]).size).toBe(rows[0]?.length);
    expect(plain.startsWith('\ufeff')).toBe(true);
    // Ages may pass midnight, and nothing else of the rows has a time of its own.
    expect(whole.endsWith(`\r\n\r\n${plain.slice(1)}`)).toBe(true);
    expect(await csvOf(service.url, key, withHead(path, 'true'))).toContain(plain.slice(1));
    for (const other of ['0', 'no', 'False', ''])
      expectError(await client.get(withHead(path, other), csv), 400, 'VALIDATION_ERROR', /head/);
  });

  it.each(paths)('%s names the customer beside its ID', async (path) => {
    const [, line] = cellsOf(await csvOf(service.url, key, path));
    expect(line).toEqual(['customer', customerId, 'A customer']);
  });

  it('of a project names it beside its ID, as of then', async () => {
    const { body } = await client.get(`/objects?platform=${a}&entity_type=project`);
    const [{ canonical_id: project }] = body.data;
    const { as_of: asOf } = (await client.get('/reconciliation')).body.data;
    const paths = [`/reconciliation?project_id=${project}`, `/reconciliation/cases?project_id=${project}`];
    const named = async (path: string) =>
      cellsOf(await csvOf(service.url, key, path)).find(([name]) => name === 'project');
    for (const path of paths) expect(await named(path)).toEqual(['project', project, 'Tower, "north"']);
    const changed = await client.post('/propagate', {
      format: 'canonical',
      canonical_id: project,
      entity_type: 'project',
      data: { name: 'Tower 2' },
    });
    expect(changed.status).toBe(200);
    for (const path of paths) {
      expect(await named(path)).toEqual(['project', project, 'Tower 2']);
      expect(await named(`${path}&as_of=${asOf}`)).toEqual(['project', project, 'Tower, "north"']);
    }
  });

  it('of a project that has become part of another one since has the name that it had then', async () => {
    const other = await service.issueKey('test');
    const caller = api(service.url, other.key);
    sources.give(other.customerId, a, [record('project', { id: 1, project_number: 'P-1', name: 'Market' })]);
    sources.give(other.customerId, b, [record('project', { id: 'p2', number: 'P-2', displayName: 'Souq' })]);
    for (const platform of [a, b]) await connect(caller, platform);
    const { canonical_id: project } = await listed(caller, b, 'project', 'p2');
    const { as_of: asOf } = (await caller.get('/reconciliation')).body.data;
    const path = `/reconciliation?project_id=${project}&as_of=${asOf}`;
    const head = async () =>
      cellsOf(await csvOf(service.url, other.key, path)).find(([name]) => name === 'project');
    expect(await head()).toEqual(['project', project, 'Souq']);
    await decide(caller, 'link', 'project', [`${a} 1`, `${b} p2`]);
    expect(await head()).toEqual(['project', project, 'Souq']);
  });

  it('has words of accounting, with the names of the API in a column of their own', async () => {
    const lines = rowsOf(await csvOf(service.url, key, '/reconciliation?entity_type=payment&head=false'));
    const { types } = (await client.get('/reconciliation?entity_type=payment')).body.data;
    const [{ counts, totals }] = types;
    for (const { line } of lines) expect(line).not.toMatch(/_|^to /);
    const at = (figure: string) => lines.filter((line) => line['figure'] === figure);
    expect(at('counts.disagree')).toMatchObject([{ count: String(counts.disagree), amount: '' }]);
    expect(at('counts.only_on').map(({ platform, count }) => [platform, count])).toEqual([
      [a, '1'],
      [b, '0'],
    ]);
    for (const { cause, objects, amount } of totals.lines) {
      expect(at(`totals.lines.${cause}`)).toMatchObject([
        { count: String(objects), amount: (amount.amount / 100).toFixed(2), currency: 'USD' },
      ]);
    }
    const cases = rowsOf(await csvOf(service.url, key, '/reconciliation/cases?kind=only_on'));
    expect(cases[0]).toMatchObject({ description: 'on one platform only', kind: 'only_on' });
  });
});
