import { Client } from 'pg';
import { sameJson, valueAt, type JsonObject, type JsonValue } from '@app/mapper';
import {
  connectionsTo,
  startPlatformA,
  startPlatformB,
  type RunningPlatformA,
  type RunningPlatformB,
} from '@app/simulators';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import type { SimulatedRequest } from '../../../tools/simulators/src/server/exchange';
import { Caller } from '../../../tools/simulators/src/testing/caller';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { startApp, type RunningApp } from '../../support/app/app';
import { shortenWaits, withoutRateLimits } from '../../support/app/short-waits';
import { knownIds, patches, type KnownIds, type SomePatch } from '../../support/records/patch.arbitrary';
import {
  platforms,
  portfolioOf,
  type Listed,
  type Platform,
  type Portfolio,
  type StoredType,
} from '../../support/customers/portfolio';
import { sentFields, shownName, type SentField } from '../../support/live/sent-fields';
import { masterKey } from '../credentials/master-keys';

jest.setTimeout(300_000);

type Body = ReturnType<typeof JSON.parse>;

interface Known {
  readonly listings: Record<Platform, Record<StoredType, readonly Listed[]>>;
  readonly ids: KnownIds;
}

interface Foretold {
  readonly target: Listed;
  readonly before: Partial<Record<Platform, JsonObject>>;
  /** `propagated` of the answer. */
  readonly dry: Body;
}

describe('the fields that a dry run shows', () => {
  withoutRateLimits();
  let service: RunningApp;
  let database: Client;
  beforeAll(async () => {
    service = await startApp({ credentialsKeys: [masterKey('first')] });
    shortenWaits(service.app);
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await service.close();
  });

  async function known(customer: Portfolio): Promise<Known> {
    const of = async (platform: Platform): Promise<Record<StoredType, readonly Listed[]>> => ({
      project: await customer.list(platform, 'project'),
      customer: await customer.list(platform, 'customer'),
      contract: await customer.list(platform, 'contract'),
      invoice: await customer.list(platform, 'invoice'),
      payment: await customer.list(platform, 'payment'),
    });
    const listings = { platform_a: await of('platform_a'), platform_b: await of('platform_b') };
    return { listings, ids: knownIds(listings) };
  }

  function targetOf({ listings }: Known, { type, format, which }: SomePatch): Listed {
    const candidates =
      format === 'canonical'
        ? [...listings.platform_a[type], ...listings.platform_b[type]]
        : listings[format][type];
    const target = candidates[which % candidates.length];
    if (target === undefined) throw new Error(`There is no ${type} to change`);
    return target;
  }

  async function send(
    { client }: Portfolio,
    { type, format, data }: SomePatch,
    { id, canonical_id }: Listed,
    isDry: boolean,
  ): Promise<{ status: number; body: Body }> {
    const target =
      format === 'canonical'
        ? { format, canonical_id }
        : { format: 'platform', platform: format, platform_id: id };
    return client.post('/propagate', {
      ...target,
      entity_type: type,
      data,
      create_missing: true,
      dry_run: isDry,
    });
  }

  async function recordsNow(
    { client }: Portfolio,
    { canonical_id }: Listed,
  ): Promise<Partial<Record<Platform, JsonObject>>> {
    const { body } = await client.get(`/objects/${canonical_id}`);
    return Object.fromEntries(
      body.data.records.map(({ platform, platform_data }: Body) => [platform, platform_data]),
    );
  }

  /** What a dry run says of a patch, and the records that it says it of; undefined where the patch is refused. */
  async function foretold(customer: Portfolio, all: Known, patch: SomePatch): Promise<Foretold | undefined> {
    const target = targetOf(all, patch);
    const { status, body } = await send(customer, patch, target, true);
    if (status !== 200) return undefined;
    return { target, before: await recordsNow(customer, target), dry: body.data.propagated };
  }

  const shown = (platform: Platform, { changes = [] }: Body): readonly string[] =>
    changes.map(({ path }: { path: string }) => shownName(platform, path));

  /** Invoices of another contract: platform_b shows the reference twice, and lets one of both be written. */
  const referring = ({ canonical }: KnownIds): fc.Arbitrary<SomePatch> =>
    fc.record({
      type: fc.constant<StoredType>('invoice'),
      format: fc.constant<'canonical'>('canonical'),
      which: fc.nat(50),
      data: fc.record({ contract_id: fc.constantFrom(...canonical.contract, null) }),
    });

  /** Changes of fields that both platforms have. Random changes alone may all be refused, or change next to nothing. */
  const plain = [0, 1, 2, 3, 4].map((which): [SomePatch] => [
    {
      type: 'payment',
      format: 'canonical',
      which,
      data: { date: '2026-03-17', notes: `Seen ${which}`, description: `Payment ${which}` },
    },
  ]);

  describe('of platforms that are far away', () => {
    let a: RunningPlatformA;
    let b: RunningPlatformB;
    let customer: Portfolio;
    let requests: Record<Platform, SimulatedRequest[]>;
    beforeAll(async () => {
      a = await startPlatformA({ switches: { spikeLimit: 0, hourlyLimit: 0 } });
      b = await startPlatformB();
      customer = portfolioOf(service.url, await service.issueKey('live'), database);
      for (const platform of platforms) {
        await set(platform);
        await customer.connect(platform);
      }
      await customer.setRules('off');
      requests = { platform_a: [], platform_b: [] };
      for (const [platform, { control }] of [
        ['platform_a', a],
        ['platform_b', b],
      ] as const) {
        const run = (request: SimulatedRequest) => void requests[platform].push(request);
        const path = platform === 'platform_a' ? '^/rest/' : '/companies\\(|\\$batch';
        for (const method of ['POST', 'PATCH']) {
          control.faults.add({ kind: 'run', run, times: 0, match: { method, path } });
        }
      }
    });
    afterAll(async () => {
      await a.close();
      await b.close();
    });

    async function set(platform: Platform, isWithoutOwnPage = false): Promise<void> {
      const to = connectionsTo({ platform_a: a, platform_b: b, close: () => Promise.resolve() });
      const { client_secret: secret, payments_url: ownPage, ...rest } = to[platform].credentials;
      const settings = isWithoutOwnPage || ownPage === undefined ? rest : { ...rest, payments_url: ownPage };
      const secrets = new Secrets({ client_secret: typeof secret === 'string' ? secret : '' });
      await service.app
        .get(CredentialsService, { strict: false })
        .set(customer.customerId, platform, settings, secrets);
    }

    async function really(patch: SomePatch, target: Listed): Promise<Body> {
      requests.platform_a.length = 0;
      requests.platform_b.length = 0;
      const answer = await send(customer, patch, target, false);
      expect(answer.status).toBe(200);
      const id: string | undefined = answer.body.data.propagation_id;
      if (id === undefined) return answer.body.data.propagated;
      for (;;) {
        const { body } = await customer.client.get(`/propagations/${id}`);
        const { propagated } = body.data;
        const states = platforms.map((platform) => propagated[platform]?.status);
        if (!states.includes('pending') && !states.includes('uncertain')) return propagated;
        service.app.get(Dispatcher, { strict: false }).wake();
      }
    }

    it.each([false, true])(
      'are those of a new payment, also where its page has no currency (own page: %s)',
      async (hasOwnPage) => {
        const checkNumber = `DRY-${String(hasOwnPage)}`;
        await set('platform_b', !hasOwnPage);
        const [paid] = b.control.records('salesInvoices').filter(({ status }) => status === 'Open');
        // A payment is in the currency of its invoice, where its page has none.
        b.control.edit('update', {
          table: 'salesInvoices',
          id: paid?.['id'] ?? null,
          fields: { currencyCode: 'USD' },
        });
        await customer.connect('platform_b');
        const invoices = await customer.list('platform_b', 'invoice');
        const invoice = invoices.find(({ id, mappings }) => id === paid?.['id'] && mappings.length === 2);
        const bill = invoice?.mappings.find(({ platform }) => platform === 'platform_a');
        const requisition = a.control
          .records('requisitions')
          .find(({ id }) => id === Number(bill?.platform_id));
        const user = await new Caller(a).login();
        const { status } = await user.call('POST', '/rest/v1.0/contract_payments', {
          project_id: requisition?.['project_id'] ?? null,
          contract_id: requisition?.['commitment_id'] ?? null,
          contract_payment: {
            amount: '100.00',
            date: '2026-03-04',
            check_number: checkNumber,
            requisition_id: requisition?.['id'] ?? null,
          },
        });
        expect(status).toBe(201);
        await customer.connect('platform_a');
        const payments = await customer.list('platform_a', 'payment');
        const target = payments.find(({ data }) => data.check_number === checkNumber);
        if (target === undefined) throw new Error('The new payment was not read');
        const patch: SomePatch = { type: 'payment', format: 'canonical', which: 0, data: { notes: 'Paid' } };
        const { body } = await send(customer, patch, target, true);
        const real = await really(patch, target);
        expect(real.platform_b).toMatchObject({ status: 'applied' });
        const names = [...new Set(shown('platform_b', body.data.propagated.platform_b))].sort();
        const sent = sentFields('platform_b', requests.platform_b).map(({ name }) => name);
        expect(names).toEqual([...new Set(sent)].sort());
        expect(names.includes('currencyCode')).toBe(hasOwnPage);
        const id: string = real.platform_b.platform_id;
        const other = { format: 'platform', platform: 'platform_b', platform_id: id, entity_type: 'payment' };
        const dry = await customer.client.post('/propagate', {
          ...other,
          data: { currencyCode: 'QAR' },
          dry_run: true,
        });
        expect(dry.body.data.propagated.platform_b.status).toBe(hasOwnPage ? 'pending' : 'rejected');
      },
    );

    it('are those that a change then sends', async () => {
      const all = await known(customer);
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(fc.oneof(patches(all.ids), referring(all.ids)), async (patch) => {
          const said = await foretold(customer, all, patch);
          if (said === undefined) return;
          const { target, before, dry } = said;
          const real = await really(patch, target);
          for (const platform of platforms) {
            // What a platform refuses in the end was sent as far as that.
            if (!['applied', 'unchanged'].includes(real[platform]?.status)) continue;
            const record = before[platform];
            const sent = sentFields(platform, requests[platform])
              .filter((field) => !isShownBy(platform, record, field))
              .map(({ name }) => name);
            expect({ platform, fields: [...new Set(sent)].sort() }).toEqual({
              platform,
              fields: [...new Set(shown(platform, dry[platform]))].sort(),
            });
            compared += sent.length;
          }
        }),
        { numRuns: randomCases(12) + plain.length, examples: plain },
      );
      expect(compared).toBeGreaterThan(10);
    });

    /** Some bodies have to repeat what a record shows already. */
    function isShownBy(
      platform: Platform,
      record: JsonObject | undefined,
      { name, value }: SentField,
    ): boolean {
      if (record === undefined || value === null) return false;
      const path = platform === 'platform_a' ? name.replace(/_id$/, '.id').split('.') : [name];
      const now: JsonValue | undefined = valueAt(record, [name]) ?? valueAt(record, path);
      // A payment takes another currency with another invoice, and gets the wanted one again, as the client wrote it.
      if (name === 'currencyCode' && typeof now === 'string' && typeof value === 'string') {
        return now === value.trim().toUpperCase();
      }
      return now !== undefined && sameJson(now, value);
    }
  });

  it('of platforms of our own are those that are stored then', async () => {
    const customer = portfolioOf(service.url, await service.openSession(), database);
    for (const platform of platforms) await customer.connect(platform);
    await customer.setRules('off');
    const all = await known(customer);
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(patches(all.ids), referring(all.ids)), async (patch) => {
        const said = await foretold(customer, all, patch);
        if (said === undefined) return;
        const { target, before, dry } = said;
        const { propagated: real } = (await send(customer, patch, target, false)).body.data;
        for (const platform of platforms) {
          const { status, changes } = dry[platform] ?? {};
          expect({ platform, status: real[platform]?.status }).toEqual({ platform, status });
          if (status !== 'applied') continue;
          const now = real[platform].data;
          const then = before[platform];
          if (then === undefined) continue;
          for (const { path } of changes) {
            // A name of a member may have points itself.
            const names = [path.split('.')[0]];
            expect([platform, path, valueAt(now, names)]).not.toEqual([platform, path, valueAt(then, names)]);
            compared += 1;
          }
          expect(changes).not.toEqual([]);
        }
      }),
      { numRuns: randomCases(12) + plain.length, examples: plain },
    );
    expect(compared).toBeGreaterThan(10);
  });
});
