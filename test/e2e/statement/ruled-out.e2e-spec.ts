import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(60_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

describe('the statement after people have decided', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'silent' }, [], sources);
  });
  afterAll(() => service.close());

  /** A customer with payments of these numbers on both platforms, and what is ambiguous among them. */
  async function open(onA: Readonly<Record<string, string>>, onB: Readonly<Record<string, string>>) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(
      customerId,
      a,
      Object.entries(onA).map(([id, check]) =>
        record('payment', { id: Number(id), amount: '10.00', check_number: check }),
      ),
    );
    sources.give(
      customerId,
      b,
      Object.entries(onB).map(([id, check]) =>
        record('payment', { id, amount: -10, currencyCode: 'USD', externalDocumentNumber: check }),
      ),
    );
    for (const platform of [a, b] as const) await connect(client, platform);
    const counts = async (asOf?: string) => {
      const { body } = await client.get(
        `/reconciliation?entity_type=payment${asOf === undefined ? '' : `&as_of=${asOf}`}`,
      );
      const [{ counts: found, totals }] = body.data.types;
      const ambiguous = totals.lines.find(({ cause }: { cause: string }) => cause === 'ambiguous');
      expect(ambiguous?.objects ?? 0).toBe(found.ambiguous);
      return [found.agree, found.ambiguous, found.only_on[a], found.only_on[b]];
    };
    const ambiguous = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
      const { body } = await client.get('/reconciliation/cases?kind=ambiguous');
      expect(body.facets.total).toBe(body.data.length);
      return Object.fromEntries(
        body.data.map((one: ReturnType<typeof JSON.parse>) => [
          one.records[0].platform_id,
          one.candidates.map(({ platform_id: id }: { platform_id: string }) => id),
        ]),
      );
    };
    const now = async () => (await client.get('/reconciliation')).body.data.as_of as string;
    return { client, counts, ambiguous, now };
  }

  it('has a parted pair as two things, and as one again when that is withdrawn', async () => {
    const { client, counts, ambiguous } = await open({ 1: 'CHK-1' }, { b1: 'CHK-1' });
    expect(await counts()).toEqual([1, 0, 0, 0]);
    const made = await decide(client, 'not_same', 'payment', ['platform_a 1', 'platform_b b1']);
    expect(made.status).toBe(200);
    expect(await counts()).toEqual([0, 0, 1, 1]);
    expect(await ambiguous()).toEqual({});
    await withdraw(client, made.body.data.id);
    expect(await counts()).toEqual([1, 0, 0, 0]);
  });

  it('leaves a ruled-out candidate out at once, and has it back when that is withdrawn', async () => {
    const { client, counts, ambiguous } = await open({ 4: 'CHK-4', 5: 'CHK-4' }, { b4: 'CHK-4' });
    const everything = { 4: ['b4'], 5: ['b4'], b4: ['4', '5'] };
    expect(await ambiguous()).toEqual(everything);
    expect(await counts()).toEqual([0, 3, 0, 0]);
    // Nothing becomes another object's: only the decision changes what is ambiguous.
    const first = await decide(client, 'not_same', 'payment', ['platform_a 4', 'platform_b b4']);
    expect(first.body.data.effects.records_total).toBe(0);
    expect(await ambiguous()).toEqual({ 5: ['b4'], b4: ['5'] });
    expect(await counts()).toEqual([0, 2, 1, 0]);
    const second = await decide(client, 'not_same', 'payment', ['platform_b b4', 'platform_a 5']);
    expect(await ambiguous()).toEqual({});
    expect(await counts()).toEqual([0, 0, 2, 1]);
    await withdraw(client, second.body.data.id);
    expect(await ambiguous()).toEqual({ 5: ['b4'], b4: ['5'] });
    await withdraw(client, first.body.data.id);
    expect(await ambiguous()).toEqual(everything);
    expect(await counts()).toEqual([0, 3, 0, 0]);
  });

  it('has a linked pair as one, and its namesake as ambiguous until that is ruled out', async () => {
    const { client, counts, ambiguous } = await open({ 4: 'CHK-4', 5: 'CHK-4' }, { b4: 'CHK-4' });
    await decide(client, 'link', 'payment', ['platform_a 4', 'platform_b b4']);
    expect(await ambiguous()).toEqual({ 5: ['b4'] });
    expect(await counts()).toEqual([1, 1, 0, 0]);
    await decide(client, 'not_same', 'payment', ['platform_a 5', 'platform_b b4']);
    expect(await ambiguous()).toEqual({});
    expect(await counts()).toEqual([1, 0, 1, 0]);
  });

  it('shows as of a time what was ruled out then', async () => {
    const { client, counts, now } = await open({ 4: 'CHK-4', 5: 'CHK-4' }, { b4: 'CHK-4' });
    const before = await now();
    const made = await decide(client, 'not_same', 'payment', ['platform_a 4', 'platform_b b4']);
    const between = await now();
    await withdraw(client, made.body.data.id);
    const after = await now();
    expect(await counts(before)).toEqual([0, 3, 0, 0]);
    expect(await counts(between)).toEqual([0, 2, 1, 0]);
    expect(await counts(after)).toEqual([0, 3, 0, 0]);
  });
});
