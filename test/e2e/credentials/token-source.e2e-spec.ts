import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { JsonObject } from '@app/mapper';
import type { RequestToken, TokenResponse } from '../../../src/platforms/live/tokens/token';
import { TokenSource, type OpenedConnection } from '../../../src/platforms/live/tokens/token-source';
import { TokenTimes } from '../../../src/platforms/live/tokens/token-times';
import { credentialsOn } from './credentials-on';
import { MasterKeys } from '../../../src/platforms/credentials/master-keys';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { TokenStore } from '../../../src/platforms/credentials/token-store';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { latch } from '../../support/this-process/latch';
import { openUnitOfWork, type OpenUnitOfWork } from '../database/open-unit-of-work';
import { masterKey } from './master-keys';

const HOUR = 3_600;

/** A token endpoint that gives numbered tokens and notes each request. */
class Endpoint {
  readonly asked: { secret: string; refreshToken: string | undefined }[] = [];
  /** What holds up answers. */
  gate: Promise<unknown> = Promise.resolve();
  refreshes = false;
  expiresInSeconds = HOUR;
  atOnce = 0;
  mostAtOnce = 0;

  readonly request: RequestToken = async (credentials, _signal, refreshToken): Promise<TokenResponse> => {
    this.asked.push({ secret: credentials.secrets.reveal('client_secret'), refreshToken });
    const number = this.asked.length;
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    try {
      await this.gate;
    } finally {
      this.atOnce -= 1;
    }
    return {
      accessToken: `token-${number}`,
      expiresInSeconds: this.expiresInSeconds,
      ...(this.refreshes && { refreshToken: `refresh-${number}` }),
    };
  };
}

describe('tokens of live connections', () => {
  let database: TestDatabase;
  let opened: OpenUnitOfWork;
  let client: Client;
  let connection: OpenedConnection;
  let endpoint: Endpoint;
  const keys = new MasterKeys([masterKey('k')]);
  const never = new AbortController().signal;

  beforeAll(async () => {
    database = await migratedDatabase();
    opened = await openUnitOfWork(database.url);
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  beforeEach(async () => {
    // Tokens go with their customers.
    await client.query('delete from customers');
    endpoint = new Endpoint();
    connection = { customerId: randomUUID(), platform: 'platform_a', settings: {} };
    await client.query(`insert into customers (id, name, kind) values ($1, 'Acme', 'standard')`, [
      connection.customerId,
    ]);
    await setSecret('hunter2');
  });
  afterAll(async () => {
    await client.end();
    await opened.close();
    await database.drop();
  });

  const credentials = () => credentialsOn(opened, keys);
  const setSecret = (secret: string, settings: JsonObject = {}) =>
    credentials().set(
      connection.customerId,
      connection.platform,
      settings,
      new Secrets({ client_secret: secret }),
    );
  const store = () => new TokenStore(opened.unitOfWork, keys);

  /** The source of one more instance. */
  function instance(times: Partial<TokenTimes> = {}): TokenSource {
    return new TokenSource(store(), credentials(), Object.assign(new TokenTimes(), { poll: 10 }, times));
  }

  async function whenAsked(times = 1): Promise<void> {
    while (endpoint.asked.length < times) await sleep(5);
  }

  const letExpire = () => client.query(`update platform_tokens set expires_at = now() - interval '1 second'`);

  it('are requested once and used by all instances', async () => {
    const [one, other] = [instance(), instance()];
    const token = await one.token(connection, endpoint.request, never);
    expect(token.value).toBe('token-1');
    expect(await one.token(connection, endpoint.request, never)).toBe(token);
    expect(await other.token(connection, endpoint.request, never)).toMatchObject({
      value: 'token-1',
      generation: token.generation,
    });
    expect(endpoint.asked).toEqual([{ secret: 'hunter2', refreshToken: undefined }]);
  });

  it('are stored sealed', async () => {
    endpoint.refreshes = true;
    await instance().token(connection, endpoint.request, never);
    const { rows } = await client.query<{ text: string; bytes: Buffer }>(
      `select t::text as text, sealed_access_token || sealed_refresh_token || sealed_key as bytes from platform_tokens t`,
    );
    expect(rows).toHaveLength(1);
    for (const { text, bytes } of rows) {
      expect(text + bytes.toString('latin1')).not.toMatch(/token-1|refresh-1|hunter2/);
    }
  });

  it('are requested by only one of many callers on many instances', async () => {
    const { opened: gate, open } = latch();
    endpoint.gate = gate;
    const instances = Array.from({ length: 3 }, () => instance());
    const asking = instances.flatMap((source) =>
      Array.from({ length: 3 }, () => source.token(connection, endpoint.request, never)),
    );
    await whenAsked();
    await sleep(100);
    open();
    const values = (await Promise.all(asking)).map(({ value }) => value);
    expect(new Set(values)).toEqual(new Set(['token-1']));
    expect(endpoint.asked).toHaveLength(1);
  });

  it('hold no lock or connection of the database while the platform is slow', async () => {
    const { opened: gate, open } = latch();
    endpoint.gate = gate;
    const asking = instance().token(connection, endpoint.request, never);
    await whenAsked();
    const { rows } = await client.query(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`,
    );
    const { rows: locks } = await client.query(
      `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    open();
    await asking;
    expect([...rows, ...locks]).toEqual([]);
  });

  it('are requested again after they expire', async () => {
    const source = instance({ cache: 0 });
    const first = await source.token(connection, endpoint.request, never);
    await letExpire();
    const second = await source.token(connection, endpoint.request, never);
    expect(second.value).toBe('token-2');
    expect(second.generation).toBeGreaterThan(first.generation);
  });

  it('are not cached beyond their expiry', async () => {
    endpoint.expiresInSeconds = 0.001;
    const source = instance();
    await source.token(connection, endpoint.request, never);
    await sleep(5);
    expect((await source.token(connection, endpoint.request, never)).value).toBe('token-2');
  });

  describe('that the platform refuses', () => {
    it('are replaced once, however many calls were refused', async () => {
      const instances = [instance(), instance()];
      const refused = await Promise.all(
        instances.map((source) => source.token(connection, endpoint.request, never)),
      );
      const renewed = await Promise.all(
        instances.flatMap((source, index) =>
          [1, 2].map(() =>
            source.renew(connection, refused[index] ?? { value: '', generation: 0 }, endpoint.request, never),
          ),
        ),
      );
      expect(new Set(renewed.map(({ value }) => value))).toEqual(new Set(['token-2']));
      expect(endpoint.asked).toHaveLength(2);
    });

    it('do not drop a later token', async () => {
      const [one, late] = [instance(), instance()];
      const refused = await late.token(connection, endpoint.request, never);
      const renewed = await one.renew(connection, refused, endpoint.request, never);
      expect((await late.renew(connection, refused, endpoint.request, never)).generation).toBe(
        renewed.generation,
      );
      expect(endpoint.asked).toHaveLength(2);
    });

    it('are not restored by a caller that was just reading them', async () => {
      const source = instance({ cache: 60_000 });
      const refused = await source.token(connection, endpoint.request, never);
      const reading = instance({ cache: 60_000 });
      const [renewed] = await Promise.all([
        reading.renew(connection, refused, endpoint.request, never),
        reading.token(connection, endpoint.request, never),
      ]);
      expect(renewed.value).toBe('token-2');
      expect((await reading.token(connection, endpoint.request, never)).value).toBe('token-2');
    });
  });

  describe('with refresh tokens', () => {
    beforeEach(() => void (endpoint.refreshes = true));

    it('are requested with the newest refresh token, each used once', async () => {
      for (let number = 1; number <= 3; number += 1) {
        await instance().token(connection, endpoint.request, never);
        await letExpire();
      }
      expect(endpoint.asked.map(({ refreshToken }) => refreshToken)).toEqual([
        undefined,
        'refresh-1',
        'refresh-2',
      ]);
    });

    it('keep the refresh token when the access token is refused', async () => {
      const source = instance();
      const token = await source.token(connection, endpoint.request, never);
      await source.renew(connection, token, endpoint.request, never);
      expect(endpoint.asked.at(-1)?.refreshToken).toBe('refresh-1');
    });

    it('keep the present refresh token when the platform gives no new one', async () => {
      await instance().token(connection, endpoint.request, never);
      endpoint.refreshes = false;
      for (let number = 1; number <= 2; number += 1) {
        await letExpire();
        await instance().token(connection, endpoint.request, never);
      }
      expect(endpoint.asked.map(({ refreshToken }) => refreshToken)).toEqual([
        undefined,
        'refresh-1',
        'refresh-1',
      ]);
    });

    it('store the new refresh token before the access token is used', async () => {
      const failing = store();
      jest.spyOn(failing, 'save').mockRejectedValueOnce(new Error('the database is away'));
      const source = new TokenSource(failing, credentials(), new TokenTimes());
      await expect(source.token(connection, endpoint.request, never)).rejects.toThrow('the database is away');
      expect((await source.token(connection, endpoint.request, never)).value).toBe('token-2');
    });
  });

  it('are requested when the lease of a dead instance ends', async () => {
    await store().claim(connection, randomUUID(), 3_600_000);
    const watched = store();
    const looks = jest.spyOn(watched, 'find');
    const times = Object.assign(new TokenTimes(), { poll: 10 });
    const waiting = new TokenSource(watched, credentials(), times).token(connection, endpoint.request, never);
    while (looks.mock.calls.length < 3) await sleep(5);
    expect(endpoint.asked).toEqual([]);
    await client.query(`update platform_tokens set lease_until = now() - interval '1 second'`);
    expect((await waiting).value).toBe('token-1');
  });

  it('are awaited for a limited time', async () => {
    await store().claim(connection, randomUUID(), 60_000);
    await expect(instance({ maxWait: 50 }).token(connection, endpoint.request, never)).rejects.toMatchObject({
      type: 'EXTERNAL_SERVICE_ERROR',
      message: 'platform_a gave no access token in time',
    });
    expect(endpoint.asked).toEqual([]);
  });

  it('are discarded if the lease went to another instance', async () => {
    const { opened: gate, open } = latch();
    endpoint.gate = gate;
    const slow = instance({ lease: 1 }).token(connection, endpoint.request, never);
    await whenAsked();
    endpoint.gate = Promise.resolve();
    await sleep(5);
    const taken = await instance().token(connection, endpoint.request, never);
    open();
    expect(taken.value).toBe('token-2');
    expect(await slow).toMatchObject({ value: 'token-2', generation: taken.generation });
  });

  it('are requested with the present credentials, even if these change meanwhile', async () => {
    const { opened: gate, open } = latch();
    endpoint.gate = gate;
    const asking = instance().token(connection, endpoint.request, never);
    await whenAsked();
    await setSecret('changed');
    open();
    expect((await asking).value).toBe('token-2');
    expect(endpoint.asked.map(({ secret }) => secret)).toEqual(['hunter2', 'changed']);
  });

  it('get a new generation when the credentials change', async () => {
    const before = await instance().token(connection, endpoint.request, never);
    await sleep(2);
    await setSecret('changed');
    const after = await instance().token(connection, endpoint.request, never);
    expect(after.generation).toBeGreaterThan(before.generation);
  });

  it('go nowhere else than with the settings that they were given for', async () => {
    const [one, other] = [{ api_url: 'https://one.example' }, { api_url: 'https://other.example' }];
    await setSecret('hunter2', one);
    const source = instance();
    const opened = { ...connection, settings: one };
    expect((await source.token(opened, endpoint.request, never)).value).toBe('token-1');
    await setSecret('changed', other);
    const anew = { ...connection, settings: other };
    expect((await source.token(anew, endpoint.request, never)).value).toBe('token-2');
    for (const late of [source, instance()]) {
      await expect(late.token(opened, endpoint.request, never)).rejects.toMatchObject({
        type: 'CONFLICT_ERROR',
        message: 'The connection to platform_a was changed meanwhile; try again',
      });
    }
    expect((await source.token(anew, endpoint.request, never)).value).toBe('token-2');
  });

  it('do not exist without credentials', async () => {
    await client.query('delete from live_connections');
    await expect(instance().token(connection, endpoint.request, never)).rejects.toMatchObject({
      type: 'CONFLICT_ERROR',
      message: 'The connection to platform_a has no credentials any more',
    });
    expect(endpoint.asked).toEqual([]);
  });

  describe('when the platform refuses to give one', () => {
    const refusal = new Error('invalid_client');
    const refuses: RequestToken = () => Promise.reject(refusal);

    it('fail for all waiting callers, and the next caller asks at once', async () => {
      const source = instance();
      const both = await Promise.allSettled([1, 2].map(() => source.token(connection, refuses, never)));
      expect(both.map((one) => one.status === 'rejected' && one.reason === refusal)).toEqual([true, true]);
      expect((await instance({ maxWait: 0 }).token(connection, endpoint.request, never)).value).toBe(
        'token-1',
      );
    });

    it('fail when the request takes too long, even if it ignores its signal', async () => {
      endpoint.gate = new Promise(() => undefined);
      await expect(
        instance({ request: 30 }).token(connection, endpoint.request, never),
      ).rejects.toMatchObject({
        type: 'EXTERNAL_SERVICE_ERROR',
        message: 'platform_a gave no access token in time',
      });
    });
  });

  it('are no longer awaited by a caller that leaves, and still arrive for the others', async () => {
    const { opened: gate, open } = latch();
    endpoint.gate = gate;
    const leaving = new AbortController();
    const source = instance();
    const first = source.token(connection, endpoint.request, leaving.signal);
    const second = source.token(connection, endpoint.request, never);
    await whenAsked();
    leaving.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    open();
    expect((await second).value).toBe('token-1');
    await expect(source.token(connection, endpoint.request, leaving.signal)).rejects.toThrow('gone');
  });

  it('are abandoned with their lease when the service stops', async () => {
    endpoint.gate = new Promise(() => undefined);
    const source = instance();
    const asking = source.token(connection, endpoint.request, never);
    await whenAsked();
    source.beforeApplicationShutdown();
    await expect(asking).rejects.toThrow('The service stops');
    endpoint.gate = Promise.resolve();
    expect((await instance({ maxWait: 0 }).token(connection, endpoint.request, never)).value).toBe('token-2');
  });
});
