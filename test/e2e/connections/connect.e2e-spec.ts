import { platformNames, type PlatformName } from '@app/mapper';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { allListings, connect, listed, listing, withoutRuns } from '../../support/customers/listings';
import { StoredRecords } from '../../support/database/stored-records';

describe('connecting the sandbox', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  afterAll(() => service.close());

  const newClient = async () => api(service.url, (await service.openSession()).key);
  const counts = {
    platform_a: { projects: 5, customers: 4, contracts: 13, invoices: 8, payments: 8 },
    platform_b: { projects: 5, customers: 5, contracts: 10, invoices: 8, payments: 8 },
  };

  /**
   * Listings without what is different for each customer: IDs become the name of the first record that has them, and versions,
   * which follow from them, go.
   */
  const withoutOwnIds = (texts: Readonly<Record<string, string>>): string => {
    const names = new Map<string, string>();
    const plain = JSON.stringify(texts).replace(/,\\"version\\":\\"[\w-]{22}\\"/g, '');
    return plain.replace(/\b[a-z]{3,4}_[0-9a-f]{32}\b/g, (id) => {
      const name = names.get(id) ?? `id ${names.size}`;
      names.set(id, name);
      return name;
    });
  };

  it.each(platformNames)('%s answers with the counts of its records', async (platform) => {
    const client = await newClient();
    const answer = await client.post('/connect', { platform });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: { platform, status: 'connected', entities: counts[platform], mode: 'sandbox' },
    });
  });

  it('lists what is connected, with the time of the first connect and the number of records', async () => {
    const client = await newClient();
    expect((await client.get('/connections')).body).toEqual({
      data: {
        connections: [],
        storage: { history_bytes: 0, kept_answers_bytes: 0, quota_bytes: 256 * 1024 ** 2 },
      },
    });
    await connect(client, 'platform_b');
    await connect(client, 'platform_a');
    const { body } = await client.get('/connections');
    const sandboxOf = (platform: PlatformName, records: number) => ({
      platform,
      status: 'active',
      connected_at: expect.any(String),
      entities_synced: records,
      mode: 'sandbox',
      last_synced_at: expect.any(String),
      sync: {
        status: 'done',
        started_at: expect.any(String),
        records_read: records,
        complete: true,
        gaps: [],
        deleted: 0,
        deletions_held: 0,
      },
      last_error: null,
    });
    expect(body).toEqual({
      data: {
        connections: [sandboxOf('platform_a', 38), sandboxOf('platform_b', 36)],
        storage: { history_bytes: expect.any(Number), kept_answers_bytes: 0, quota_bytes: 256 * 1024 ** 2 },
      },
    });
    for (const { connected_at } of body.data.connections) {
      expect(connected_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(new Date(connected_at).toISOString()).toBe(connected_at);
    }
    await connect(client, 'platform_a');
    const again = (await client.get('/connections')).body;
    expect(withoutRuns(again.data)).toEqual(withoutRuns(body.data));
    expect(again.data.connections[0].last_synced_at > body.data.connections[0].last_synced_at).toBe(true);
  });

  it('gives the same result in both orders, links and IDs included', async () => {
    const results: string[] = [];
    for (const order of [platformNames, platformNames.toReversed()]) {
      const client = await newClient();
      for (const platform of order) await connect(client, platform);
      results.push(withoutOwnIds(await allListings(client)));
    }
    expect(results[0]).toContain('Substructure progress payment #1');
    expect(results[1]).toBe(results[0]);
  });

  it('gives one customer the same IDs in both orders', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    for (const platform of platformNames) await connect(client, platform);
    const forth = await allListings(client);
    const stored = await StoredRecords.open(service.databaseUrl);
    await stored.forget(customerId);
    await stored.close();
    for (const platform of platformNames.toReversed()) await connect(client, platform);
    expect(await allListings(client)).toEqual(forth);
  });

  it('connects both platforms at the same time', async () => {
    const one = await newClient();
    for (const platform of platformNames) await connect(one, platform);
    const other = await newClient();
    const answers = await Promise.all(platformNames.map((platform) => other.post('/connect', { platform })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(withoutOwnIds(await allListings(other))).toBe(withoutOwnIds(await allListings(one)));
  });

  it('creates no duplicates, even if one platform is connected four times at once', async () => {
    const client = await newClient();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => client.post('/connect', { platform: 'platform_a' })),
    );
    for (const { status, body } of answers) {
      expect([200, 409]).toContain(status);
      if (status === 200) expect(body.data.entities).toEqual(counts.platform_a);
    }
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect((await client.get('/connections')).body.data.connections).toEqual([
      expect.objectContaining({ platform: 'platform_a', entities_synced: 38 }),
    ]);
    const contracts = await listing(client, 'platform_a', 'contract');
    expect(new Set(contracts.map(({ id }) => id)).size).toBe(13);
    expect(new Set(contracts.map(({ canonical_id }) => canonical_id)).size).toBe(13);
  });

  it('again changes nothing, and loses nothing that was propagated', async () => {
    const client = await newClient();
    for (const platform of platformNames) await connect(client, platform);
    const change = await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '1823456',
      entity_type: 'payment',
      data: { amount: '1500000.00', notes: 'Substructure, agreed' },
    });
    expect(change.status).toBe(200);
    const before = await allListings(client);
    const connectionsBefore = (await client.get('/connections')).body.data;

    for (const platform of platformNames) expect(await connect(client, platform)).toEqual(counts[platform]);

    expect(await allListings(client)).toEqual(before);
    expect(withoutRuns((await client.get('/connections')).body.data)).toEqual(withoutRuns(connectionsBefore));
    const payment = await listed(client, 'platform_a', 'payment', '1823456');
    expect(payment.platform_data).toMatchObject({ amount: '1500000.00', notes: 'Substructure, agreed' });
    const twin = await listed(client, 'platform_b', 'payment', 'a34e74db-53c7-4368-8fe7-bb87c83c7902');
    expect(twin.platform_data).toMatchObject({ amount: -5460000, comment: 'Substructure, agreed' });
  });

  it('keeps a record that a propagation created on the other platform, as one object', async () => {
    const client = await newClient();
    for (const platform of platformNames) await connect(client, platform);
    const alone = (await listing(client, 'platform_b', 'payment')).find(
      ({ mappings }) => mappings.length === 1,
    );
    const change = await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_b',
      platform_id: alone?.id,
      entity_type: 'payment',
      data: { comment: 'Created on the other side' },
      create_missing: true,
    });
    expect(change.body.data.propagated.platform_a.status).toBe('applied');
    const created: string = change.body.data.propagated.platform_a.platform_id;
    const before = await allListings(client);
    for (const platform of platformNames) await connect(client, platform);
    expect(await allListings(client)).toEqual(before);
    expect((await listed(client, 'platform_a', 'payment', created)).mappings).toEqual([
      { platform: 'platform_a', platform_id: created },
      { platform: 'platform_b', platform_id: alone?.id },
    ]);
  });

  it('makes two objects one when a propagated key brings them together', async () => {
    const client = await newClient();
    for (const platform of platformNames) await connect(client, platform);
    const aloneOn = async (platform: PlatformName) => {
      const found = (await listing(client, platform, 'payment')).find(
        ({ mappings }) => mappings.length === 1,
      );
      if (found === undefined) throw new Error(`every payment of ${platform} is linked`);
      return found;
    };
    const [onA, onB] = [await aloneOn('platform_a'), await aloneOn('platform_b')];
    const rename = await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: onA.id,
      entity_type: 'payment',
      data: { check_number: onB.data.check_number },
    });
    expect(rename.status).toBe(200);
    expect(rename.body.data.propagated.platform_b.status).toBe('skipped');
    expect((await listed(client, 'platform_a', 'payment', onA.id)).mappings).toHaveLength(1);

    expect(await connect(client, 'platform_b')).toEqual(counts.platform_b);

    const [left, right] = [
      await listed(client, 'platform_a', 'payment', onA.id),
      await listed(client, 'platform_b', 'payment', onB.id),
    ];
    expect(left.mappings).toEqual([
      { platform: 'platform_a', platform_id: onA.id },
      { platform: 'platform_b', platform_id: onB.id },
    ]);
    expect(right.mappings).toEqual(left.mappings);
    expect(right.data).toEqual(left.data);
    expect(left.canonical_id).toBe(onA.canonical_id);
    const byAlias = await client.post('/propagate', {
      format: 'canonical',
      canonical_id: onB.canonical_id,
      entity_type: 'payment',
      data: { notes: 'by the name it had' },
    });
    expect(byAlias.status).toBe(200);
    expect(byAlias.body.data.canonical.id).toBe(onA.canonical_id);
    expect((await listed(client, 'platform_b', 'payment', onB.id)).platform_data.comment).toBe(
      'by the name it had',
    );
  });

  it.each([
    ['an unknown platform', { platform: 'platform_c' }],
    ['null', { platform: null }],
    ['a number', { platform: 1 }],
    ['a list', { platform: ['platform_a'] }],
    ['another case', { platform: 'PLATFORM_A' }],
    ['an inherited member', { platform: 'constructor' }],
  ])('refuses %s', async (_, body) => {
    const client = await newClient();
    expectError(
      await client.post('/connect', body),
      400,
      'VALIDATION_ERROR',
      /platform must be one of platform_a, platform_b/,
    );
    expect((await client.get('/connections')).body.data.connections).toEqual([]);
  });

  it('refuses a body without a platform', async () => {
    const client = await newClient();
    expectError(await client.post('/connect', {}), 400, 'VALIDATION_ERROR', /platform is required/);
  });

  it('needs a key', async () => {
    expectError(
      await api(service.url).post('/connect', { platform: 'platform_a' }),
      401,
      'AUTHENTICATION_ERROR',
    );
    expectError(await api(service.url).get('/connections'), 401, 'AUTHENTICATION_ERROR');
  });

  it('keeps customers apart', async () => {
    const [one, other] = [await newClient(), await newClient()];
    await connect(one, 'platform_a');
    expect((await other.get('/connections')).body.data.connections).toEqual([]);
    expect(await listing(other, 'platform_a', 'payment')).toEqual([]);
    await connect(other, 'platform_a');
    const [mine, theirs] = [
      await listing(one, 'platform_a', 'payment'),
      await listing(other, 'platform_a', 'payment'),
    ];
    const own = new Set(mine.map(({ canonical_id }) => canonical_id));
    expect(theirs.some(({ canonical_id }) => own.has(canonical_id))).toBe(false);
    await other.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '1823456',
      entity_type: 'payment',
      data: { notes: 'changed by the other customer' },
    });
    expect(await listing(one, 'platform_a', 'payment')).toEqual(mine);
  });
});
