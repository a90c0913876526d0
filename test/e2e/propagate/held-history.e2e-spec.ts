import { VersionRetention } from '../../../src/objects/history/version-retention';
import { HistoryRetention } from '../../../src/outbox/history-retention';
import { DeletedRetention } from '../../../src/sync/absences/deleted-retention';
import { startFarService, type FarCustomer, type FarService } from '../../support/platforms/far-customer';
import { commandsOn } from '../cli/run-command';
import { ON_A } from '../../support/customers/portfolio';

jest.setTimeout(120_000);

const DAY = 24 * 3_600_000;

describe('a change of which a person must look at a command, when it is older than history is kept', () => {
  let service: FarService;
  let customer: FarCustomer;
  let id: string;
  const { json } = commandsOn(() => service.app.databaseUrl);
  beforeAll(async () => {
    service = await startFarService({ historyTtlMs: 30 * DAY });
    service.waitFor(0);
  });
  beforeEach(async () => {
    customer = await service.open('platform_a', 'platform_b');
    const { platform_b: far } = customer.far;
    far.reactions.push('be silent');
    const settle = jest.spyOn(far, 'settle').mockResolvedValue({ status: 'held', reason: 'two could be it' });
    const { canonical_id: payment } = await customer.find('platform_a', 'payment', ON_A);
    ({ propagation_id: id } = (await customer.canonical('payment', payment, { notes: 'held' })).body.data);
    await customer.decided();
    settle.mockRestore();
    await pass(31);
  });
  afterAll(() => service.close());

  /** Lets days pass for what the customer has, and everything that is too old go. */
  async function pass(days: number): Promise<void> {
    const { customerId } = customer;
    for (const [table, columns] of [
      ['connections', ['connected_at']],
      ['propagations', ['created_at', 'decided_at']],
      ['outbox_commands', ['created_at', 'decided_at']],
      ['outbox_decisions', ['made_at']],
      ['idempotency_keys', ['created_at']],
    ] as const) {
      const set = columns.map((column) => `${column} = ${column} - $2 * interval '1 day'`).join(', ');
      await customer.sql(`update ${table} set ${set} where customer_id = $1`, [customerId, days]);
    }
    const { app } = service.app;
    await app.get(HistoryRetention, { strict: false }).purge();
    await app.get(VersionRetention, { strict: false }).purge(new Date(Date.now() - 30 * DAY));
    await app.get(DeletedRetention, { strict: false }).purge();
  }
  const shown = () => customer.client.get(`/propagations/${id}`);

  it('is still there, with all of its commands', async () => {
    const { status, body } = await shown();
    expect(status).toBe(200);
    expect(body.data.propagated).toMatchObject({
      platform_a: { status: 'applied' },
      platform_b: { status: 'held' },
    });
    expect((await customer.commands()).map((command) => command.status)).toEqual(['applied', 'held']);
  });

  it('is brought to its end by a retry, and goes when it is too old then', async () => {
    const [, command] = await customer.commands();
    await json('outbox', 'retry', '--command', command?.id ?? '', '--reason', 'it is one after all');
    expect(await customer.decided()).toEqual(['applied', 'applied']);
    expect((await shown()).body.data.propagated.platform_b).toMatchObject({ status: 'applied' });
    const { platform_data: data } = await customer.find(
      'platform_b',
      'payment',
      'a34e74db-53c7-4368-8fe7-bb87c83c7902',
    );
    expect(data).toMatchObject({ comment: 'held' });
    await pass(29);
    expect((await shown()).status).toBe(200);
    await pass(2);
    expect((await shown()).status).toBe(404);
    expect(await customer.commands()).toEqual([]);
    const [left] = await customer.sql<{ count: number }>(
      'select count(*)::int as count from outbox_decisions where customer_id = $1',
      [customer.customerId],
    );
    expect(left?.count).toBe(0);
  });
});
