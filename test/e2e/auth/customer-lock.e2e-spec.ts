import { lockCustomer } from '../../../src/database/transaction/customer-lock';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { commandsOn } from '../cli/run-command';

describe('while a customer is locked as a whole, as during the publication of a reading', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  afterAll(() => service.close());
  const { json, aCustomer, aKey } = commandsOn(() => service.databaseUrl);

  /** Does the work while the customer is locked exclusively, with all that this locks beside it. */
  function whileLocked<Result>(customerId: string, work: () => Promise<Result>): Promise<Result> {
    return service.app.get(UnitOfWork, { strict: false }).run(
      async (store) => {
        expect(await lockCustomer(store.forCustomer(customerId), 'exclusive')).toBe(true);
        return work();
      },
      { deadlines: 'bulk' },
    );
  }

  it('keys are issued, replaced, revoked and listed', async () => {
    const customer = await aCustomer();
    const old = await aKey(customer);
    await whileLocked(customer, async () => {
      const { key_id: issued } = await aKey(customer, 'test');
      const { key_id: rotated } = await json('keys', 'rotate', '--key-id', old.key_id);
      await json('keys', 'revoke', '--key-id', issued);
      const { keys } = await json('keys', 'list', '--customer', customer);
      expect(keys.map(({ key_id: id }: { key_id: string }) => id).sort()).toEqual(
        [old.key_id, issued, rotated].sort(),
      );
    });
  });

  it('rates are set, listed and removed', async () => {
    const customer = await aCustomer();
    const pair = ['--customer', customer, '--from', 'USD', '--to', 'QAR'];
    await whileLocked(customer, async () => {
      await json('rates', 'set', ...pair, '--rate', '3.6');
      expect((await json('rates', 'list', '--customer', customer)).rates).toEqual([
        expect.objectContaining({ rate: '3.6' }),
      ]);
      await json('rates', 'remove', ...pair);
    });
  });

  it('its keys can be used for reads', async () => {
    const { key, customerId } = await service.issueKey('live');
    await whileLocked(customerId, async () => {
      expect((await api(service.url, key).get('/connections')).status).toBe(200);
    });
  });

  it('another customer opens and deletes a session', async () => {
    const [locked, other] = [await service.openSession(), await service.openSession()];
    await whileLocked(locked.customerId, async () => {
      expect((await api(service.url, other.key).delete('/demo/session')).status).toBe(204);
    });
    expect((await api(service.url, locked.key).delete('/demo/session')).status).toBe(204);
  });
});
