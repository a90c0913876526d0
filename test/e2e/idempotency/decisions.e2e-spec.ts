import { api, type Answer } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { decide, everythingOf, withdraw } from '../../support/deciding';
import { expectError } from '../../support/expectations';
import { GivenRecords, record } from '../../support/given-records';
import { connect } from '../../support/listings';
import { StoredRecords } from '../../support/stored-records';

jest.setTimeout(60_000);

const isReplay = ({ headers }: Answer) => headers.get('Idempotent-Replayed') === 'true';

describe('POST /reconciliation/decisions with an Idempotency-Key', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let other: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({ syncIntervalMs: 0 }, [], sources);
    other = await startApp({ syncIntervalMs: 0, databaseUrl: service.databaseUrl }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await other.close();
    await service.close();
  });

  async function open() {
    const { key, customerId } = await service.openSession();
    sources.give(customerId, 'platform_a', [record('payment', { id: 1, amount: '1.00', check_number: 'A' })]);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b1', amount: -1, externalDocumentNumber: 'B' }),
    ]);
    const [client, second] = [api(service.url, key), api(other.url, key)];
    for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
    const send = (name: string, { decision = 'link', from = client, more = {}, onA = '1' } = {}) =>
      from.post(
        '/reconciliation/decisions',
        {
          decision,
          entity_type: 'payment',
          records: [
            { platform: 'platform_a', platform_id: onA },
            { platform: 'platform_b', platform_id: 'b1' },
          ],
          reason: 'Seen on paper',
          decided_by: 'Kim',
          ...more,
        },
        { 'Idempotency-Key': name },
      );
    const rows = () =>
      stored.query<{ id: string }>('select id from reconciliation_decisions where customer_id = $1', [customerId]);
    return { client, second, customerId, send, rows };
  }

  it('has its effect once, and gives the same answer again, also when the decision is withdrawn by then', async () => {
    const { client, second, customerId, send, rows } = await open();
    const first = await send('one');
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    expect((await withdraw(client, first.body.data.id)).status).toBe(200);
    const before = await everythingOf(stored, customerId);
    for (const from of [client, second]) {
      const again = await send('one', { from });
      expect([again.status, isReplay(again), again.text]).toEqual([200, true, first.text]);
    }
    expect(await rows()).toHaveLength(1);
    expect(await everythingOf(stored, customerId)).toEqual(before);
    // Without the key it is another decision.
    const anew = await decide(client, 'link', 'payment', ['platform_a 1', 'platform_b b1']);
    expect(anew.body.data.id).not.toBe(first.body.data.id);
  });

  it('has one effect of many equal requests at once', async () => {
    const { client, second, send, rows } = await open();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, place) => send('many', { from: place % 2 === 0 ? client : second })),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectError(answer, 409, 'CONFLICT_ERROR', /still under way/);
    expect(await rows()).toHaveLength(1);
  });

  it('refuses the key for another decision, and gives refusals again', async () => {
    const { client, send } = await open();
    expect((await send('one')).status).toBe(200);
    expectError(await send('one', { decision: 'not_same' }), 409, 'CONFLICT_ERROR', /Idempotency-Key one/);
    const refused = await send('two', { onA: '2' });
    expectError(refused, 404, 'NOT_FOUND');
    const again = await send('two', { onA: '2' });
    expect([again.status, isReplay(again)]).toEqual([404, true]);
    expectError(await send('', {}), 400, 'VALIDATION_ERROR', /Idempotency-Key/);
    expect((await client.get('/reconciliation/decisions')).body.data).toHaveLength(1);
  });

  it('gives what was only tried again as it was', async () => {
    const { send, rows } = await open();
    const first = await send('dry', { more: { dry_run: true } });
    const again = await send('dry', { more: { dry_run: true } });
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    expect(await rows()).toEqual([]);
  });
});
