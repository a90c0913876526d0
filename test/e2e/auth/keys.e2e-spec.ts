import { DataSource } from 'typeorm';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { CallerCache } from '../../../src/auth/callers/caller-cache';
import { CustomersService } from '../../../src/auth/customers/customers.service';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { ProbeModule } from '../../support/app/probe.module';

describe('keys', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({}, [ProbeModule]);
  });
  afterAll(() => service.close());

  const ask = (authorization?: string) =>
    api(service.url).get(
      '/probe?platform=platform_a',
      authorization === undefined ? {} : { Authorization: authorization },
    );
  const expectUnknown = async (authorization?: string) =>
    expectError(await ask(authorization), 401, 'AUTHENTICATION_ERROR', 'Invalid or missing API key');

  it.each<['demo' | 'test' | 'live', () => Promise<Caller>]>([
    ['demo', () => service.openSession()],
    ['test', () => service.issueKey('test')],
    ['live', () => service.issueKey('live')],
  ])('of mode %s open the routes', async (mode, issue) => {
    const { key } = await issue();
    expect(key).toMatch(new RegExp(`^sk_${mode}_[A-Za-z0-9]{32,}$`));
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect((await ask(`${scheme} ${key}`)).status).toBe(200);
  });

  it('are required', () => expectUnknown());

  it.each(['', 'Bearer', 'Bearer x', 'Basic eDp5', 'Bearer sk_demo_', `Bearer sk_live_${'0'.repeat(40)}`])(
    'cannot be %j',
    (authorization) => expectUnknown(authorization),
  );

  it('must match exactly, with their prefix and scheme', async () => {
    const { key } = await service.openSession();
    await expectUnknown(`Bearer ${key}x`);
    await expectUnknown(`Bearer ${key.slice(0, -1)}`);
    await expectUnknown(`Bearer ${key.replace('sk_demo_', 'sk_live_')}`);
    await expectUnknown(`Bearer ${key} ${key}`);
    await expectUnknown(`Basic ${key}`);
    await expectUnknown(key);
  });

  it('cannot be replaced by their hash', async () => {
    await service.openSession();
    await expectUnknown(`Bearer ${'0'.repeat(64)}`);
  });

  it('are invalid as soon as they are revoked, and no other keys are', async () => {
    const keys = service.app.get(ApiKeysService, { strict: false });
    const { id: customerId } = await service.app.get(CustomersService, { strict: false }).create('Two keys');
    const first = await keys.issue(customerId, 'live');
    const second = await keys.issue(customerId, 'live');
    expect((await ask(`Bearer ${first.key}`)).status).toBe(200);
    await keys.revoke(first.id);
    await expectUnknown(`Bearer ${first.key}`);
    expect((await ask(`Bearer ${second.key}`)).status).toBe(200);
  });

  it('are invalid from their end, by the clock of the database', async () => {
    const keys = service.app.get(ApiKeysService, { strict: false });
    const { id: customerId } = await service.app
      .get(CustomersService, { strict: false })
      .create('A key with an end');
    const { id, key } = await keys.issue(customerId, 'live');
    const endIn = (interval: string) =>
      service.app
        .get(DataSource, { strict: false })
        .query('update api_keys set expires_at = now() + $2::interval where id = $1', [id, interval]);
    await endIn('1 hour');
    expect((await ask(`Bearer ${key}`)).status).toBe(200);
    for (const interval of ['0', '-1 hour']) {
      await endIn(interval);
      // Nobody tells the service of what is done to its tables behind its back.
      service.app.get(CallerCache, { strict: false }).forget(customerId);
      await expectUnknown(`Bearer ${key}`);
    }
  });
});
