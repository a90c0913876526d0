import { setTimeout as sleep } from 'node:timers/promises';
import { lockCustomer } from '../../../src/database/transaction/customer-lock';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { connect } from '../../support/customers/listings';

jest.setTimeout(120_000);

describe('a run whose customer is locked for long, as by the publication of another platform', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ connectWaitMs: 60_000 });
  });
  afterAll(() => service.close());

  it('waits for it', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const unitOfWork = service.app.get(UnitOfWork, { strict: false });
    let connecting: Promise<unknown> = Promise.resolve();
    await unitOfWork.run(
      async (store) => {
        expect(await lockCustomer(store.forCustomer(customerId), 'exclusive')).toBe(true);
        connecting = connect(client, 'platform_a');
        await sleep(22_000);
      },
      { deadlines: 'bulk' },
    );
    await connecting;
    const { body } = await client.get('/objects?platform=platform_a&entity_type=payment');
    expect(body.data).toHaveLength(8);
  });
});
