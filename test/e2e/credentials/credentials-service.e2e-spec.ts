import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { MasterKey } from '../../../src/runtime/config/credentials-keys';
import { newEnvelope, SealBroken } from '../../../src/platforms/credentials/envelope';
import type { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { credentialsOn } from './credentials-on';
import { MasterKeys, MissingMasterKey } from '../../../src/platforms/credentials/master-keys';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { TokenStore } from '../../../src/platforms/credentials/token-store';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { openUnitOfWork, type OpenUnitOfWork } from '../database/open-unit-of-work';
import { masterKey } from './master-keys';

const settings = { api_url: 'https://api.example', company_id: '7' };
const secret = (value: string): Secrets => new Secrets({ client_secret: value });
const secrets = secret('hunter2');

describe('stored credentials', () => {
  let database: TestDatabase;
  let opened: OpenUnitOfWork;
  let client: Client;
  beforeAll(async () => {
    database = await migratedDatabase();
    opened = await openUnitOfWork(database.url);
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  // Some tests are about all that is stored. Credentials and tokens go with their customers.
  beforeEach(() => client.query('delete from customers'));
  afterAll(async () => {
    await client.end();
    await opened.close();
    await database.drop();
  });

  const first = masterKey('first');
  const service = (...keys: readonly MasterKey[]) => credentialsOn(opened, new MasterKeys(keys));
  const tokens = (...keys: readonly MasterKey[]) => new TokenStore(opened.unitOfWork, new MasterKeys(keys));

  async function aCustomer(kind = 'standard'): Promise<string> {
    const id = randomUUID();
    await client.query('insert into customers (id, name, kind) values ($1, $2, $3)', [id, 'Acme', kind]);
    return id;
  }

  const rowsOf = async (table: string) => (await client.query(`select * from ${table}`)).rows;

  it('come back for connectors with their secrets, and for people without', async () => {
    const customer = await aCustomer();
    await service(first).set(customer, 'platform_a', settings, secrets);
    const found = await service(first).find(customer, 'platform_a');
    expect(found).toMatchObject({ platform: 'platform_a', settings, changedAt: expect.any(Date) });
    expect(found?.secrets.reveal('client_secret')).toBe('hunter2');
    expect(await service().show(customer, 'platform_a')).toEqual({
      platform: 'platform_a',
      settings,
      changedAt: found?.changedAt,
      masterKeyId: 'first',
    });
    expect(await service(first).find(customer, 'platform_b')).toBeUndefined();
    expect(await service(first).show(randomUUID(), 'platform_a')).toBeUndefined();
  });

  it('are replaced, and the tokens of the former ones are gone', async () => {
    const customer = await aCustomer();
    const owner = { customerId: customer, platform: 'platform_a' } as const;
    await service(first).set(customer, 'platform_a', settings, secrets);
    const holder = randomUUID();
    await tokens(first).claim(owner, holder, 60_000);
    await tokens(first).save(owner, holder, { accessToken: 'old', usableFor: 60_000 });
    await service(first).set(customer, 'platform_a', { ...settings, company_id: '8' }, secret('new'));
    const found = await service(first).find(customer, 'platform_a');
    expect(found?.settings).toEqual({ ...settings, company_id: '8' });
    expect(found?.secrets.reveal('client_secret')).toBe('new');
    expect(await tokens(first).find(owner)).toBeUndefined();
    expect(await rowsOf('platform_tokens')).toEqual([]);
  });

  it('are refused without a key, without a customer and for a demo session, and nothing is stored', async () => {
    await expect(service().set(await aCustomer(), 'platform_a', settings, secrets)).rejects.toThrow(
      /^Credentials cannot be stored without CREDENTIALS_KEYS/,
    );
    const nobody = randomUUID();
    await expect(service(first).set(nobody, 'platform_a', settings, secrets)).rejects.toThrow(
      `No customer with ID ${nobody}`,
    );
    await expect(
      service(first).set(await aCustomer('demo'), 'platform_a', settings, secrets),
    ).rejects.toThrow(/is a demo session, and demo sessions have sandboxes only$/);
    expect(await rowsOf('live_connections')).toEqual([]);
  });

  it('cannot be decrypted in another row', async () => {
    const [mine, other] = [await aCustomer(), await aCustomer()];
    await service(first).set(mine, 'platform_a', settings, secrets);
    await client.query(
      `insert into live_connections (customer_id, platform, settings, sealed_secrets, sealed_key, master_key_id)
       select $1, platform, settings, sealed_secrets, sealed_key, master_key_id from live_connections`,
      [other],
    );
    await expect(service(first).find(other, 'platform_a')).rejects.toThrow(SealBroken);
  });

  it('are deleted with their customer, and so are the tokens', async () => {
    const customer = await aCustomer();
    await service(first).set(customer, 'platform_a', settings, secrets);
    await tokens(first).claim({ customerId: customer, platform: 'platform_a' }, randomUUID(), 1_000);
    await client.query('delete from customers where id = $1', [customer]);
    expect([...(await rowsOf('live_connections')), ...(await rowsOf('platform_tokens'))]).toEqual([]);
  });

  describe('whose master key is replaced', () => {
    const next = masterKey('next');

    it('open during the change and after it, without a moment in which they do not', async () => {
      const customers: string[] = [];
      for (let index = 0; index < 5; index += 1) {
        const customer = await aCustomer();
        customers.push(customer);
        await service(first).set(customer, 'platform_a', settings, secret(`secret ${index}`));
        await service(first).set(customer, 'platform_b', settings, secret(`other ${index}`));
      }
      const owner = { customerId: customers[0] ?? '', platform: 'platform_a' } as const;
      const holder = randomUUID();
      await tokens(first).claim(owner, holder, 60_000);
      await tokens(first).save(owner, holder, { accessToken: 't', refreshToken: 'r', usableFor: 60_000 });

      // First every instance knows both keys, then the new one encrypts, then the rows are sealed anew.
      const beforehand = service(first, next);
      const during = service(next, first);
      const opens = (by: CredentialsService) =>
        Promise.all(
          customers.map(async (id) => (await by.find(id, 'platform_a'))?.secrets.reveal('client_secret')),
        );
      const expected = customers.map((_id, index) => `secret ${index}`);
      expect(await opens(during)).toEqual(expected);
      const [rewrapped] = await Promise.all([during.rewrap(), opens(beforehand), opens(during)]);
      expect(rewrapped).toBe(11);
      expect(await opens(beforehand)).toEqual(expected);
      expect(await opens(service(next))).toEqual(expected);
      expect((await tokens(next).find(owner))?.value).toBe('t');
      expect(await during.rewrap()).toBe(0);
      await expect(service(next).refuseMissingKeys()).resolves.toBeUndefined();
    });

    it('are sealed anew over several pages', async () => {
      const customer = await aCustomer();
      await service(first).set(customer, 'platform_a', settings, secrets);
      await client.query(
        `insert into customers (id, name, kind) select gen_random_uuid(), 'x', 'standard' from generate_series(1, 250)`,
      );
      const { rows } = await client.query<{ id: string }>('select id from customers');
      for (const { id } of rows) await service(first).set(id, 'platform_b', settings, secrets);
      expect(await service(next, first).rewrap()).toBe(252);
      await expect(service(next).refuseMissingKeys()).resolves.toBeUndefined();
    });

    it('keep what was set while they were sealed anew', async () => {
      const customer = await aCustomer();
      await service(first).set(customer, 'platform_a', settings, secrets);
      await Promise.all([
        service(next, first).rewrap(),
        service(next, first).set(customer, 'platform_a', settings, secret('newest')),
      ]);
      await service(next, first).rewrap();
      expect((await service(next).find(customer, 'platform_a'))?.secrets.reveal('client_secret')).toBe(
        'newest',
      );
    });

    it('are named when their key is missing, after all others were sealed anew', async () => {
      const lost = masterKey('lost');
      const [mine, other] = [await aCustomer(), await aCustomer()];
      await service(lost).set(mine, 'platform_a', settings, secrets);
      await service(first).set(other, 'platform_a', settings, secrets);
      await expect(service(next, first).rewrap()).rejects.toThrow(new MissingMasterKey(['lost']));
      expect((await service(next).find(other, 'platform_a'))?.secrets.reveal('client_secret')).toBe(
        'hunter2',
      );
      await expect(service(next).refuseMissingKeys()).rejects.toThrow(
        'CREDENTIALS_KEYS lacks the key "lost" that stored credentials are sealed with; add it again',
      );
      await expect(service().refuseMissingKeys()).rejects.toThrow(new MissingMasterKey(['lost', 'next']));
    });

    it('are not asked for once a webhook secret signs no more', async () => {
      const [endpoint, lost] = [randomUUID(), masterKey('lost')];
      const customerId = await aCustomer();
      await client.query(
        `insert into webhook_endpoints (customer_id, id, url, types, enabled, created_at, starts_at, worked_at)
         values ($1, $2, 'https://receiver.example', '{}', true, now(), now(), now())`,
        [customerId, endpoint],
      );
      const replaced = newEnvelope(lost, { table: 'webhook_secrets', customerId, row: 'replaced' });
      await client.query(
        `insert into webhook_secrets (customer_id, endpoint_id, id, master_key_id, sealed_key, sealed_secret, made_at, ends_at)
         values ($1, $2, 'replaced', 'lost', $3, $4, now(), now() + interval '1 hour')`,
        [customerId, endpoint, replaced.key.sealedKey, replaced.seal('secret', 'whsec_x')],
      );
      await expect(service(first).refuseMissingKeys()).rejects.toThrow(new MissingMasterKey(['lost']));
      await expect(service(first).rewrap()).rejects.toThrow(new MissingMasterKey(['lost']));
      await client.query('update webhook_secrets set ends_at = now()');
      await expect(service(first).refuseMissingKeys()).resolves.toBeUndefined();
      await expect(service(masterKey('lost')).refuseMissingKeys()).resolves.toBeUndefined();
      expect(await service(first).rewrap()).toBe(0);
    });

    it('are counted where they do not open, after all others were sealed anew', async () => {
      const customers = [await aCustomer(), await aCustomer(), await aCustomer()].sort();
      for (const id of customers) await service(first).set(id, 'platform_a', settings, secrets);
      const [broken = '', ...others] = customers;
      await client.query(`update live_connections set sealed_key = '\\x01' where customer_id = $1`, [broken]);
      const rewrap = service(next, first).rewrap();
      await expect(rewrap).rejects.toThrow(SealBroken);
      await expect(rewrap).rejects.toThrow(
        `One row cannot be sealed anew: live_connections of customer ${broken} (platform_a). ` +
          'The key "first" of CREDENTIALS_KEYS does not open what is sealed with it',
      );
      for (const id of others) {
        expect((await service(next).find(id, 'platform_a'))?.secrets.reveal('client_secret')).toBe('hunter2');
      }
    });
  });

  it('are missed where the key of their ID is another one, unless some of them open with it', async () => {
    const before = masterKey('first');
    const [one, other] = [await aCustomer(), await aCustomer()];
    for (const id of [one, other]) await service(before).set(id, 'platform_a', settings, secrets);
    await expect(service(before).refuseMissingKeys()).resolves.toBeUndefined();
    const refused = service(first).refuseMissingKeys();
    await expect(refused).rejects.toThrow(SealBroken);
    await expect(refused).rejects.toThrow(
      'The key "first" of CREDENTIALS_KEYS is another one than the key of that ID that stored credentials are sealed with; set that one again',
    );
    await service(first).set(other, 'platform_a', settings, secrets);
    await expect(service(first).refuseMissingKeys()).resolves.toBeUndefined();
  });
});
