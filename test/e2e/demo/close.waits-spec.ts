import { Client } from 'pg';
import { api } from '../../support/app/api';
import { startApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';

jest.setTimeout(60_000);

describe('DELETE /demo/session while work for the customer does not end', () => {
  it('answers 409 after 20 s, and others are served meanwhile', async () => {
    const service = await startApp();
    const holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
    const { key, customerId } = await service.openSession();
    const other = await service.issueKey('live');
    await api(service.url, other.key).get('/connections'); // What is done once is done.
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [
      `customer ${customerId}`,
    ]);
    const begun = performance.now();
    let isClosed = false;
    const closing = api(service.url, key)
      .delete('/demo/session')
      .finally(() => (isClosed = true));
    for (let call = 0; call < 20; call += 1)
      expect((await api(service.url, other.key).get('/connections')).status).toBe(200);
    // They did not wait for it.
    expect(isClosed).toBe(false);
    expectError(await closing, 409, 'CONFLICT_ERROR', /^Work for this customer is still under way; /);
    expect(performance.now() - begun).toBeGreaterThan(19_000);
    expect(performance.now() - begun).toBeLessThan(25_000);
    await holder.query('rollback');
    expect((await api(service.url, key).delete('/demo/session')).status).toBe(204);
    await holder.end();
    await service.close();
  });
});
