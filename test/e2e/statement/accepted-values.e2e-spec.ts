import type { JsonObject } from '@app/mapper';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(90_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

type Body = ReturnType<typeof JSON.parse>;

describe('An acceptance of a case', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
  });
  afterAll(() => service.close());

  /** Books of one payment on each platform; null for a platform without it. */
  async function open(onA: JsonObject | null, onB: JsonObject | null) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (platform: typeof a | typeof b, payload: JsonObject | null): Promise<void> => {
      const own =
        platform === a ? { id: 1, check_number: 'CHK-1' } : { id: 'b1', externalDocumentNumber: 'CHK-1' };
      sources.give(customerId, platform, payload === null ? [] : [record('payment', { ...own, ...payload })]);
      await connect(client, platform);
    };
    await read(a, onA);
    await read(b, onB);
    const get = async (path: string): Promise<Body> => {
      const { status, body } = await client.get(`/reconciliation${path}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body.data;
    };
    const cases = (query = ''): Promise<Body[]> => get(`/cases?entity_type=payment${query}`);
    const accept = (ids: readonly string[], versions?: readonly string[]) =>
      client.send('PATCH', '/reconciliation/cases', {
        body: { ids, ...(versions && { versions }), accepted: { reason: 'Known', decided_by: 'Ada' } },
      });
    const accepted = async (query: string): Promise<number> =>
      (await get(`?entity_type=payment&currency=USD${query}`)).types[0].counts.accepted;
    return { read, cases, accept, accepted };
  }

  const onA = (more: JsonObject = {}) => ({ amount: '100.00', date: '2026-06-30', ...more });
  const onB = (more: JsonObject = {}) => ({ amount: -100, currencyCode: 'USD', ...more });

  it('of two dates ends when the later one moves', async () => {
    const { read, cases, accept, accepted } = await open(onA(), onB({ postingDate: '2026-07-02' }));
    const [cut] = await cases('&through=2026-06-30');
    expect((await accept([cut.id], [cut.version])).status).toBe(200);
    expect(await accepted('&through=2026-06-30')).toBe(1);
    await read(b, onB({ postingDate: '2026-12-31' }));
    for (const day of ['2026-06-30', '2026-11-30']) {
      expect(await accepted(`&through=${day}`)).toBe(0);
      expect((await cases(`&through=${day}`)).map(({ id }) => id)).toEqual([cut.id]);
    }
    expect((await accept([cut.id], [cut.version])).status).toBe(409);
  });

  it('of an amount in a currency that is not known ends when the amount changes', async () => {
    const { read, cases, accept } = await open(null, onB({ currencyCode: 'ZZZ' }));
    const found = (await cases()).map(({ id }) => id).toSorted();
    expect((await accept(found)).status).toBe(200);
    expect(await cases()).toEqual([]);
    await read(b, onB({ currencyCode: 'ZZZ', amount: -9_000_000 }));
    expect((await cases()).map(({ id }) => id).toSorted()).toEqual(found);
  });

  it('of two dates leaves another open case of the earlier record open', async () => {
    const { cases, accept, accepted, read } = await open(
      onA({ notes: 7 }),
      onB({ postingDate: '2026-07-02', comment: 8 }),
    );
    const june = '&through=2026-06-30';
    const listed = await cases(june);
    expect(listed.map(({ kind, field }) => [kind, field]).toSorted()).toEqual([
      ['only_on', null],
      ['unreadable', 'notes'],
    ]);
    for (const [kind, objects] of [
      ['only_on', 0],
      ['unreadable', 1],
    ]) {
      await accept(listed.filter((one) => one.kind === kind).map(({ id }) => id));
      expect(await accepted(june)).toBe(objects);
      // The same as of a time whose objects are compared anew.
      await read(a, onA({ notes: 7, description: `${objects}` }));
      expect(await accepted(`${june}&as_of=${new Date().toISOString()}`)).toBe(objects);
      expect(await accepted(june)).toBe(objects);
    }
  });
});
