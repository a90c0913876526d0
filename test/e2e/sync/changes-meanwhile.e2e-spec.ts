import type { SourceRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { latch } from '../../support/this-process/latch';
import { connect, listed } from '../../support/customers/listings';

jest.setTimeout(60_000);

const payment = (notes: string): SourceRecord =>
  record('payment', { id: 7, amount: '10.00', check_number: 'CHK-7', notes });

describe('a change of a record while a run reads its platform', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
  });
  afterAll(() => service.close());

  const change = (client: ReturnType<typeof api>, notes: string) =>
    client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '7',
      entity_type: 'payment',
      data: { notes },
    });

  it('is not undone by what the run had read before', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', [payment('as it was')]);
    await connect(client, 'platform_a');

    const { opened: reading, open: arrived } = latch();
    const { opened: changed, open: goOn } = latch();
    sources.give(customerId, 'platform_a', async function* () {
      yield payment('as it was');
      arrived();
      await changed;
    });
    const again = connect(client, 'platform_a');
    await reading;
    expect((await change(client, 'as it is now')).status).toBe(200);
    goOn();
    await again;
    expect(await listed(client, 'platform_a', 'payment', '7')).toMatchObject({
      data: { notes: 'as it is now' },
      platform_data: { notes: 'as it is now' },
    });

    // What the platform says after the change counts again.
    sources.give(customerId, 'platform_a', [payment('changed on the platform')]);
    await connect(client, 'platform_a');
    expect(await listed(client, 'platform_a', 'payment', '7')).toMatchObject({
      data: { notes: 'changed on the platform' },
    });
  });
});
