import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { keptCommandsOn, nobody, UUID } from './run-command';

const HOUR = 3_600_000;

describe('keys rotate', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  const { cli, json, aCustomer, aKey } = keptCommandsOn(() => service.databaseUrl);
  afterAll(() => service.close());

  const sql = <Row extends object>(statement: string, parameters: unknown[]): Promise<Row[]> =>
    service.app.get(DataSource, { strict: false }).query(statement, parameters);
  /** As time would bring it about. */
  const letExpire = (id: string) => sql('update api_keys set expires_at = now() where id = $1', [id]);
  const opens = async (key: string): Promise<boolean> => {
    const { status } = await api(service.url, key).get('/connections');
    expect([200, 401]).toContain(status);
    return status === 200;
  };
  const keysOf = async (customer: string): Promise<Record<string, unknown>[]> =>
    (await json('keys', 'list', '--customer', customer)).keys;

  it.each(['test', 'live'])(
    'gives a %s key in place of one, and for a day both open the service',
    async (mode) => {
      const customer = await aCustomer();
      const old = await aKey(customer, mode);
      const rotated = await json('keys', 'rotate', '--key-id', old.key_id.toUpperCase());
      expect(rotated).toEqual({
        key_id: expect.stringMatching(UUID),
        customer_id: customer,
        label: null,
        mode,
        permissions: ['read', 'write', 'decide', 'administer'],
        api_key: expect.stringMatching(new RegExp(`^sk_${mode}_[A-Za-z0-9]{32,}$`)),
        replaces: {
          key_id: old.key_id,
          label: null,
          mode,
          permissions: ['read', 'write', 'decide', 'administer'],
          hint: `sk_${mode}_…${old.api_key.slice(-4)}`,
          created_at: expect.stringMatching(/Z$/),
          expires_at: expect.stringMatching(/Z$/),
          revoked_at: null,
        },
      });
      expect(await opens(old.api_key)).toBe(true);
      expect(await opens(rotated.api_key)).toBe(true);
      expect(await keysOf(customer)).toEqual([
        rotated.replaces,
        expect.objectContaining({ key_id: rotated.key_id, mode, expires_at: null, revoked_at: null }),
      ]);
    },
  );

  it.each([
    [[], 24 * HOUR],
    [['--overlap', '90s'], 90_000],
    [['--overlap', '30m'], HOUR / 2],
    [['--overlap', '12h'], 12 * HOUR],
    [['--overlap', '365d'], 365 * 24 * HOUR],
  ])('with %j ends the old key so long after the new one began', async (overlap, milliseconds) => {
    const old = await aKey(await aCustomer());
    const { key_id: id } = await json('keys', 'rotate', '--key-id', old.key_id, ...overlap);
    // To the microsecond, since one transaction has one time.
    const [row] = await sql<{ overlap: number }>(
      `select (extract(epoch from old.expires_at - new.created_at) * 1000)::float8 as overlap
         from api_keys old, api_keys new where old.id = $1 and new.id = $2`,
      [old.key_id, id],
    );
    expect(row).toEqual({ overlap: milliseconds });
  });

  it('leaves the new key alone when the overlap is over', async () => {
    const customer = await aCustomer();
    const old = await aKey(customer);
    const rotated = await json('keys', 'rotate', '--key-id', old.key_id);
    await letExpire(old.key_id);
    expect(await opens(old.api_key)).toBe(false);
    expect(await opens(rotated.api_key)).toBe(true);
  });

  it('--overlap 0 revokes the old key at once', async () => {
    const old = await aKey(await aCustomer());
    const rotated = await json('keys', 'rotate', '--key-id', old.key_id, '--overlap', '0');
    expect(rotated.replaces).toMatchObject({ expires_at: null, revoked_at: expect.stringMatching(/Z$/) });
    expect(await opens(old.api_key)).toBe(false);
    expect(await opens(rotated.api_key)).toBe(true);
  });

  it('writes the key, and nothing but the key, to standard output', async () => {
    const customer = await aCustomer();
    const { key_id: id, api_key: key } = await aKey(customer);
    const { code, out, err } = await cli('keys', 'rotate', '--key-id', id);
    expect(code).toBe(0);
    expect(out).toMatch(/^sk_live_[A-Za-z0-9]+\n$/);
    const [old, rotated] = await keysOf(customer);
    expect(err.split('\n')).toEqual([
      `Issued key ${String(rotated?.['key_id'])}. It is shown this once: store it now.`,
      `Key ${id} (sk_live_…${key.slice(-4)}) stays valid until ${String(old?.['expires_at'])}`,
      '',
    ]);
    expect(await opens(out.trim())).toBe(true);
  });

  it('says that it revoked the old key', async () => {
    const { key_id: id, api_key: key } = await aKey(await aCustomer());
    const { err } = await cli('keys', 'rotate', '--key-id', id, '--overlap', '0');
    expect(err).toMatch(new RegExp(`\nRevoked key ${id} \\(sk_live_…${key.slice(-4)}\\)\n$`));
  });

  it('is followed by revoking, which ends the overlap', async () => {
    const old = await aKey(await aCustomer());
    const { replaces } = await json('keys', 'rotate', '--key-id', old.key_id);
    const revoked = await json('keys', 'revoke', '--key-id', old.key_id);
    expect(revoked).toMatchObject({ expires_at: replaces.expires_at, revoked_at: expect.any(String) });
    expect(await opens(old.api_key)).toBe(false);
  });

  describe('refuses', () => {
    const refused = async (id: string, why: RegExp) => {
      const [before] = await sql('select * from api_keys where id = $1', [id]);
      const [count] = await sql('select count(*) from api_keys', []);
      expect(await cli('keys', 'rotate', '--key-id', id, '--json')).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(why),
      });
      expect(await sql('select * from api_keys where id = $1', [id])).toEqual(before ? [before] : []);
      expect(await sql('select count(*) from api_keys', [])).toEqual([count]);
    };
    const at = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;

    it('an unknown key', () => refused(nobody, new RegExp(`^No key with ID ${nobody}\n$`)));

    it('a revoked key', async () => {
      const { key_id: id } = await aKey(await aCustomer());
      await json('keys', 'revoke', '--key-id', id);
      await refused(id, new RegExp(`^Key ${id} was revoked at ${at}; issue a new key instead\n$`));
    });

    it('an expired key', async () => {
      const { key_id: id } = await aKey(await aCustomer());
      await letExpire(id);
      await refused(id, new RegExp(`^Key ${id} expired at ${at}; issue a new key instead\n$`));
    });

    it('a key that has been rotated, and names its end', async () => {
      const { key_id: id } = await aKey(await aCustomer());
      const { replaces } = await json('keys', 'rotate', '--key-id', id);
      await refused(
        id,
        new RegExp(
          `^Key ${id} has been rotated already and ends at ${replaces.expires_at}; revoke it to end it sooner\n$`,
        ),
      );
    });

    it('the key of a demo session', async () => {
      const { customerId } = await service.openSession();
      const [key] = await keysOf(customerId);
      const id = String(key?.['key_id']);
      await refused(id, new RegExp(`^Key ${id} belongs to a demo session; open another session instead\n$`));
    });

    it('all but one of several at a time', async () => {
      const customer = await aCustomer();
      const { key_id: id } = await aKey(customer);
      const keys = service.app.get(ApiKeysService, { strict: false });
      const holder = new Client({ connectionString: service.databaseUrl });
      await holder.connect();
      try {
        await holder.query('begin');
        await holder.query('select from api_keys where id = $1 for update', [id]);
        const rotating = Promise.allSettled(Array.from({ length: 4 }, () => keys.rotate(id, HOUR)));
        const waiting = () =>
          sql(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            [],
          );
        // All of them have begun before the first one can go on.
        while ((await waiting()).length < 4) await sleep(10);
        await holder.query('commit');
        const statuses = (await rotating).map(({ status }) => status);
        expect(statuses.sort()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
      } finally {
        await holder.end();
      }
      expect(await keysOf(customer)).toHaveLength(2);
    });
  });

  it.each([
    [],
    ['--key-id', '7'],
    ['--key-id', nobody, '--overlap', '24'],
    ['--key-id', nobody, '--overlap', '-1h'],
    ['--key-id', nobody, '--overlap', '366d'],
    ['--key-id', nobody, '--overlap'],
  ])('is given the arguments %s %s %s %s', async (...args) => {
    const { code, out, err } = await cli('keys', 'rotate', ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/--(key-id|overlap)/);
  });

  // Each line of keys that replace one another has one without an end, until that one is revoked; and a key opens the
  // service just as long as nothing ended it.
  it('keeps one key without an end, whatever is rotated, revoked and expires in which order', async () => {
    const step = fc.record({
      what: fc.constantFrom<'rotate' | 'replace' | 'revoke' | 'expire'>(
        'rotate',
        'replace',
        'revoke',
        'expire',
      ),
      which: fc.nat({ max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const customer = await aCustomer();
        const model: { id: string; key: string; state: 'endless' | 'ending' | 'void' }[] = [];
        const first = await aKey(customer);
        model.push({ id: first.key_id, key: first.api_key, state: 'endless' });
        for (const { what, which } of steps) {
          const chosen = model[which % model.length];
          if (chosen === undefined) throw new Error('There is always a first key');
          if (what === 'revoke') {
            await json('keys', 'revoke', '--key-id', chosen.id);
            chosen.state = 'void';
          } else if (what === 'expire') {
            if (chosen.state !== 'ending') continue;
            await letExpire(chosen.id);
            chosen.state = 'void';
          } else {
            const overlap = what === 'replace' ? ['--overlap', '0'] : [];
            const { code, out } = await cli('keys', 'rotate', '--key-id', chosen.id, ...overlap, '--json');
            expect(code).toBe(chosen.state === 'endless' ? 0 : 1);
            if (code !== 0) continue;
            chosen.state = what === 'replace' ? 'void' : 'ending';
            const { key_id: id, api_key: key } = JSON.parse(out);
            model.push({ id, key, state: 'endless' });
          }
        }
        expect(model.filter(({ state }) => state === 'endless').length).toBeLessThanOrEqual(1);
        for (const { key, state } of model) expect(await opens(key)).toBe(state !== 'void');
        const { customers } = await json('customers', 'list');
        expect(customers).toContainEqual(
          expect.objectContaining({
            customer_id: customer,
            keys_in_use: model.filter(({ state }) => state !== 'void').length,
          }),
        );
      }),
      { numRuns: randomCases(3) },
    );
  });
});
