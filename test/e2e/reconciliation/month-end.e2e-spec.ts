import type { StoredEntityType } from '@app/mapper';
import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

type Body = ReturnType<typeof JSON.parse>;

const [mariam, omar] = ['Mariam, accounts payable', 'Omar, controller'];
const JUNE = 'currency=USD&through=2026-06-30';

const onA = (id: number, amount: string, date: string, number = `CHK-${id}`) =>
  record('payment', { id, amount, check_number: number, date });
const onB = (id: number, amount: number, date: string, number = `CHK-${id}`) =>
  record('payment', {
    id: `b${id}`,
    amount: -amount,
    currencyCode: 'USD',
    externalDocumentNumber: number,
    postingDate: date,
  });

/** The books of June, as docs/month-end.md closes them, over the API and its files alone. */
describe('a month end', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let client: ReturnType<typeof api>;
  let key: string;
  let customerId: string;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    ({ key, customerId } = await service.openSession());
    client = api(service.url, key);
    sources.give(customerId, a, [
      onA(1, '100.00', '2026-06-02'),
      onA(2, '50.00', '2026-06-10'),
      onA(3, '7.25', '2026-06-29'),
      onA(4, '900.00', '2026-07-03'),
      onA(5, '20.00', '2026-06-12', 'CHK-5'),
    ]);
    sources.give(customerId, b, bookedInJune);
  });
  afterAll(() => service.close());

  const bookedInJune = [
    onB(1, 100, '2026-06-02'),
    onB(2, 60, '2026-06-10'),
    // The number was mistyped.
    onB(5, 20, '2026-06-12', 'CHK-55'),
  ];

  const done = ({ status, body }: ApiResponse): Body => {
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    return body.data;
  };
  const get = async (path: string): Promise<Body> => done(await client.get(path));
  const file = async (path: string): Promise<string> => {
    const response = await fetch(`${service.url}/api/v1${path}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
    });
    expect(response.status).toBe(200);
    return response.text();
  };
  const statement = (query = JUNE): Promise<Body> => get(`/reconciliation?${query}`);
  const totalsOf = ({ types }: Body, type: StoredEntityType = 'payment'): Body =>
    types.find(({ entity_type }: Body) => entity_type === type).totals;
  /** The lines that are not empty: objects and amount, and what is accepted of them. */
  const linesOf = (read: Body): Record<string, readonly number[]> =>
    Object.fromEntries(
      totalsOf(read)
        .lines.filter(({ objects }: Body) => objects > 0)
        .map(({ cause, objects, amount, accepted }: Body) => [
          cause,
          [objects, amount.amount, accepted.objects, accepted.amount.amount],
        ]),
    );
  const expectToFoot = (read: Body): void => {
    const { from, lines, to } = totalsOf(read);
    const explained = lines.reduce((sum: number, { amount }: Body) => sum + amount.amount, from.sum.amount);
    expect(explained).toBe(to.sum.amount);
  };
  const cases = (more = ''): Promise<Body[]> =>
    get(`/reconciliation/cases?through=2026-06-30&sort=amount${more}`);
  const caseOf = async (number: string, kind: string): Promise<Body> => {
    const found = (await cases()).find((one) => one.kind === kind && JSON.stringify(one).includes(number));
    if (found === undefined) throw new Error(`There is no case of ${number}`);
    return found;
  };
  const sign = (read: Body, role: string, signed_by: string, note?: string): Promise<ApiResponse> =>
    client.post('/reconciliation/signoffs', {
      as_of: read.as_of,
      through: read.through,
      currency: read.currency,
      digest: read.digest,
      role,
      signed_by,
      ...(note !== undefined && { note }),
    });

  it('is closed, signed by two, and says later which of its lines has moved', async () => {
    // Both platforms are read.
    for (const platform of [a, b]) await connect(client, platform);

    // The statement of June, which foots, and its cases, which explain it.
    const first = await statement();
    expect(first.complete).toBe(true);
    expectToFoot(first);
    expect(linesOf(first)).toEqual({
      [`only_on_${a}`]: [2, -2725, 0, 0],
      [`only_on_${b}`]: [1, 2000, 0, 0],
      amounts_disagree: [1, 1000, 0, 0],
      [`dated_after_${a}`]: [1, -90000, 0, 0],
    });
    const listed = await cases();
    const explained = listed.reduce((sum, { difference }) => sum + (difference?.amount ?? 0), 0);
    expect(explained).toBe(-2725 + 2000 + 1000);
    const asFile = await file('/reconciliation/cases?through=2026-06-30');
    for (const { id } of listed) expect(asFile).toContain(id);

    // Each case has an owner; one difference may stay.
    done(
      await client.send('PATCH', '/reconciliation/cases', {
        body: { ids: listed.map(({ id }) => id), owner: mariam },
      }),
    );
    const inTransit = await caseOf('CHK-3', 'only_on');
    done(
      await client.post(`/reconciliation/cases/${inTransit.id}/notes`, {
        text: 'The bank clears it on the 2nd',
        written_by: mariam,
      }),
    );
    done(
      await client.send('PATCH', `/reconciliation/cases/${inTransit.id}`, {
        body: { accepted: { reason: 'In transit', decided_by: mariam } },
        headers: { 'If-Match': `"${inTransit.version}"` },
      }),
    );

    // One is settled by changing the record, one by a decision.
    const wrong = await caseOf('amount', 'disagreement');
    const changed = done(
      await client.post('/propagate', {
        format: 'platform',
        platform: a,
        platform_id: '2',
        entity_type: 'payment',
        data: { amount: '60.00' },
        reason: 'The bank statement says 60.00',
        decided_by: mariam,
      }),
    );
    const mistyped = done(
      await client.post('/reconciliation/decisions', {
        decision: 'link',
        entity_type: 'payment',
        records: [
          { platform: a, platform_id: '5' },
          { platform: b, platform_id: 'b5' },
        ],
        reason: 'The number was mistyped',
        decided_by: mariam,
      }),
    );
    const closed = await get('/reconciliation/cases?state=closed');
    expect(closed.find(({ id }: Body) => id === wrong.id).closed_by).toEqual({
      type: 'propagation',
      id: changed.propagation_id,
      reason: 'The bank statement says 60.00',
      decided_by: mariam,
    });
    expect(
      closed.filter(({ closed_by: by }: Body) => by.type === 'decision').map((one: Body) => one.closed_by.id),
    ).toEqual([mistyped.id, mistyped.id]);

    // The number still differs between the two records, and may.
    for (const { id } of await cases())
      done(
        await client.send('PATCH', `/reconciliation/cases/${id}`, {
          body: { accepted: { reason: 'Mistyped', decided_by: mariam } },
        }),
      );
    expect(await cases()).toEqual([]);

    // What is left of June is accepted, and signed by two.
    const june = await statement();
    expectToFoot(june);
    expect(linesOf(june)).toEqual({
      [`only_on_${a}`]: [1, -725, 1, -725],
      [`dated_after_${a}`]: [1, -90000, 0, 0],
    });
    const prepared = done(await sign(june, 'prepared', mariam, 'As agreed with the site'));
    expect((await sign(june, 'reviewed', mariam.toUpperCase())).status).toBe(409);
    const reviewed = done(await sign(june, 'reviewed', omar));
    const inFile = await file(`/reconciliation?${JUNE}&as_of=${june.as_of}`);
    expect(inFile).toContain(june.digest);
    expect(await file('/reconciliation/signoffs')).toContain(june.digest);

    // July goes on, and June stays as it is signed.
    sources.give(customerId, b, [...bookedInJune, onB(4, 900, '2026-07-03')]);
    await connect(client, b);
    const signoffs = () => get('/reconciliation/signoffs');
    expect((await signoffs()).map(({ id, current }: Body) => [id, current])).toEqual([
      [reviewed.id, true],
      [prepared.id, true],
    ]);

    // A payment of June arrives late: the sign-offs say which lines it moves.
    sources.give(customerId, b, [...bookedInJune, onB(4, 900, '2026-07-03'), onB(9, 33.5, '2026-06-28')]);
    await connect(client, b);
    const late = await signoffs();
    expect(late.map(({ current }: Body) => current)).toEqual([false, false]);
    const moved = late[0].changes.map(({ line, platform, before, after }: Body) => [
      [line, platform].filter((word) => word !== null).join(' '),
      before.amount?.amount ?? before.count,
      after.amount?.amount ?? after.count,
    ]);
    expect(moved).toEqual([
      [`only_on ${b}`, 0, 1],
      [`records ${b}`, 3, 4],
      [`sum ${b}`, 18000, 21350],
      [`only_on_${b}`, 0, 3350],
    ]);
    expect(late[1].changes).toEqual(late[0].changes);
    expect(await file('/reconciliation/signoffs')).toContain(
      `payment, plus: on this platform only, ${b}: 0 of 0.00 USD, now 1 of 33.50 USD`,
    );
    // What was signed is still what was known then.
    expect((await statement(`${JUNE}&as_of=${june.as_of}`)).digest).toBe(june.digest);

    // The review goes before what it reviews, and June is signed again.
    const withdraw = (id: string) =>
      client.send('DELETE', `/reconciliation/signoffs/${id}`, {
        body: { reason: 'CHK-9 arrived late', decided_by: omar },
      });
    expect((await withdraw(prepared.id)).status).toBe(409);
    for (const { id } of [reviewed, prepared]) done(await withdraw(id));
    const again = await statement();
    expectToFoot(again);
    expect(again.digest).not.toBe(june.digest);
    done(await sign(again, 'prepared', mariam));
    done(await sign(again, 'reviewed', omar));
    expect((await signoffs()).map(({ state, current }: Body) => [state, current])).toEqual([
      ['standing', true],
      ['standing', true],
      ['withdrawn', false],
      ['withdrawn', false],
    ]);
  });
});
