/** @jest-environment node */
// Comes first: what is loaded after it finds three platforms.
import { ledger } from '../../support/platform_c/register';
import type { PlatformName } from '@app/mapper';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { decide, withdraw } from '../../support/deciding';
import { describedBy } from '../../support/described-calls';
import { GivenRecords, record } from '../../support/given-records';
import { connect } from '../../support/listings';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const names = [a, b, ledger] as const;
const pairs = [
  [a, b],
  [a, ledger],
  [b, ledger],
] as const;

type Body = ReturnType<typeof JSON.parse>;

/** Payments by native ID: number and amount in major units. */
type Payments = Readonly<Record<string, readonly [check: string, amount: number]>>;

describe('reconciling three platforms', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'silent' }, [], sources);
    describedBy(await (await fetch(`${service.url}/api/v1/openapi.json`)).json());
  });
  afterAll(() => service.close());

  async function open(onA: Payments, onB: Payments, onLedger: Payments) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const records = (payments: Payments, payload: (id: string, check: string, amount: number) => object) =>
      Object.entries(payments).map(([id, [check, amount]]) => record('payment', payload(id, check, amount)));
    const given: readonly (readonly [PlatformName, ReturnType<typeof records>])[] = [
      [
        a,
        records(onA, (id, check_number, amount) => ({
          id: Number(id),
          amount: `${amount}.00`,
          check_number,
        })),
      ],
      [b, records(onB, (id, check, amount) => ({ id, amount: -amount, externalDocumentNumber: check }))],
      [ledger, records(onLedger, (key_, code, sum) => ({ key: key_, code, sum: `${sum}.00` }))],
    ];
    for (const [platform, own] of given) {
      sources.give(customerId, platform, own);
      await connect(client, platform);
    }
    const ofPair = (path: string, pair: readonly PlatformName[]) =>
      client.get(`${path}${path.includes('?') ? '&' : '?'}platforms=${pair.join(',')}`);
    /** By pair: agree, disagree, ambiguous, and what each has alone. */
    const counts = async () =>
      Promise.all(
        pairs.map(async (pair) => {
          const { status, body } = await ofPair('/reconciliation?entity_type=payment', pair);
          expect(status).toBe(200);
          expect(body.data.platforms).toEqual(pair);
          const [{ counts: found, totals }] = body.data.types;
          const led = totals.lines.reduce(
            (sum: number, { amount }: Body) => sum + amount.amount,
            totals.from.sum.amount,
          );
          expect([totals.from.platform, totals.to.platform, led]).toEqual([...pair, totals.to.sum.amount]);
          return [
            found.agree,
            found.disagree,
            found.ambiguous,
            ...pair.map((platform) => found.only_on[platform]),
          ];
        }),
      );
    const cases = async (pair: readonly PlatformName[], kind: string): Promise<Body[]> =>
      (await ofPair(`/reconciliation/cases?entity_type=payment&kind=${kind}`, pair)).body.data;
    const objectOf = async (platform: PlatformName, id: string): Promise<string> => {
      const { body } = await client.get(`/objects?platform=${platform}&entity_type=payment`);
      return body.data.find((one: Body) => one.id === id).canonical_id;
    };
    return { client, counts, cases, objectOf };
  }

  it('states and lists each pair for itself', async () => {
    const { client, counts, cases } = await open(
      { 1: ['K-1', 10], 2: ['K-2', 20], 3: ['K-3', 30] },
      { b1: ['K-1', 10], b2: ['K-2', 21], b4: ['K-4', 40] },
      { L1: ['K-1', 11], L3: ['K-3', 30], L4: ['K-4', 40], L5: ['K-5', 50] },
    );
    expect(await counts()).toEqual([
      [1, 1, 0, 1, 1],
      [1, 1, 0, 1, 2],
      [1, 1, 0, 1, 2],
    ]);
    const [differing] = await cases([a, ledger], 'disagreement');
    expect(Object.keys(differing.values)).toEqual([a, ledger]);
    expect(differing).toMatchObject({ field: 'amount', stands: a, difference: { amount: 100 } });
    const { body } = await client.get(`/reconciliation/cases/${differing.id}`);
    for (const { values } of body.data.compared) expect(Object.keys(values)).not.toContain(b);
    expect((await cases([b, ledger], 'only_on')).map(({ missing_on: on }: Body) => on).toSorted()).toEqual(
      [ledger, b, b].toSorted(),
    );
  });

  it('reads one object, why its records are one, and its history', async () => {
    const { client, objectOf } = await open({ 1: ['K-1', 10] }, { b1: ['K-1', 10] }, { L1: ['K-1', 11] });
    const id = await objectOf(ledger, 'L1');
    const before = (await client.get('/reconciliation')).body.data.as_of as string;
    const one = await client.get(`/objects/${id}`);
    expect(one.status).toBe(200);
    expect(one.body.data.mappings.map(({ platform }: Body) => platform)).toEqual(names);
    expect(one.body.data.evidence.map(({ rule }: Body) => rule)).toEqual(['unique_key', 'unique_key']);
    await client.post('/propagate', {
      format: 'canonical',
      canonical_id: id,
      entity_type: 'payment',
      data: { notes: 'Everywhere' },
    });
    const history = await client.get(`/objects/${id}/history`);
    expect(history.status).toBe(200);
    const change = history.body.data.find(({ origin }: Body) => origin.type === 'propagation');
    expect(Object.keys(change.outcomes)).toEqual(names);
    const past = await client.get(`/objects/${id}?as_of=${before}`);
    expect(past.body.data.data.notes ?? null).toBeNull();
    expect((await client.get(`/objects/${id}`)).body.data.data.notes).toBe('Everywhere');
  });

  it('links by decision what no rule links, and parts it when that is withdrawn', async () => {
    const { client, counts, objectOf } = await open(
      { 1: ['K-1', 10] },
      { b1: ['K-1', 10] },
      { L1: ['X', 10] },
    );
    expect(await counts()).toEqual([
      [1, 0, 0, 0, 0],
      [0, 0, 0, 1, 1],
      [0, 0, 0, 1, 1],
    ]);
    const made = await decide(client, 'link', 'payment', [`${ledger} L1`, 'platform_b b1']);
    expect(made.body.data.records.map(({ platform }: Body) => platform)).toEqual([b, ledger]);
    expect(await counts()).toEqual([
      [1, 0, 0, 0, 0],
      [0, 1, 0, 0, 0],
      [0, 1, 0, 0, 0],
    ]);
    expect(await objectOf(ledger, 'L1')).toBe(await objectOf(a, '1'));
    const third = await decide(client, 'not_same', 'payment', [`${ledger} L1`, 'platform_b b1']);
    expect(third.status).toBe(409);
    await withdraw(client, made.body.data.id);
    expect((await counts())[1]).toEqual([0, 0, 0, 1, 1]);
    const listed = await client.get('/reconciliation/decisions');
    expect(listed.body.data).toMatchObject([{ status: 'withdrawn', records: [{ platform: b }, {}] }]);
  });

  it('rules out a whole object with one of its records', async () => {
    const { client, counts, cases } = await open(
      { 1: ['K-1', 10] },
      { b1: ['K-1', 10] },
      { L1: ['K-1', 10], L2: ['K-1', 10] },
    );
    const candidates = async (pair: readonly PlatformName[]) =>
      Object.fromEntries(
        (await cases(pair, 'ambiguous')).map((one) => [
          one.records[0].platform_id,
          one.candidates.map(({ platform_id: id }: Body) => id),
        ]),
      );
    expect(await counts()).toEqual([
      [1, 0, 0, 0, 0],
      [0, 0, 3, 0, 0],
      [0, 0, 3, 0, 0],
    ]);
    // Of the object of two records one is ruled out; the other can be no more the same than that one.
    const made = await decide(client, 'not_same', 'payment', [`${ledger} L1`, 'platform_a 1']);
    expect(await counts()).toEqual([
      [1, 0, 0, 0, 0],
      [0, 0, 2, 0, 1],
      [0, 0, 2, 0, 1],
    ]);
    expect(await candidates([b, ledger])).toEqual({ b1: ['L2'], L2: ['b1'] });
    await withdraw(client, made.body.data.id);
    expect((await counts())[2]).toEqual([0, 0, 3, 0, 0]);
  });
});
