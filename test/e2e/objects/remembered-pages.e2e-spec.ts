import { platformNames, storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { TransactionStore } from '../../../src/database/transaction/transaction-store';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { EventLoopScheduler } from '../../../src/runtime/fairness/event-loop-scheduler';
import { ResponseMemory } from '../../../src/common/response/memory/response-memory';
import { PendingResponse } from '../../../src/common/response/memory/pending-response';
import { ListingPages } from '../../../src/objects/listing/listing-pages';
import { firstPage } from '../../../src/objects/listing/page-place';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { FarPlatform } from '../../support/platforms/far-platform';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listing } from '../../support/customers/listings';
import { knownIds, patches } from '../../support/records/patch.arbitrary';
import {
  copyPortfolio,
  platforms,
  portfolios,
  type Listed,
  type Platform,
  type Portfolios,
  type StoredType,
} from '../../support/customers/portfolio';
import { shortenWaits } from '../../support/app/short-waits';
import { StoredRecords } from '../../support/database/stored-records';

jest.setTimeout(300_000);

/** The service under test, another instance of it on the same database, and listings by one that remembers nothing. */
interface Places {
  readonly service: RunningApp;
  readonly other: RunningApp;
  close(): Promise<void>;
}

async function openPlaces(sources?: GivenRecords): Promise<Places> {
  const settings = { propagateWaitMs: 2_000 };
  const service = await startApp(settings, [], sources);
  const other = await startApp({ ...settings, databaseUrl: service.databaseUrl }, [], sources);
  for (const { app } of [service, other]) shortenWaits(app);
  return {
    service,
    other,
    close: async () => {
      await other.close();
      await service.close();
    },
  };
}

/** An answer that nobody waits for. */
function responseTo(customerId: string): PendingResponse {
  return new PendingResponse(customerId, new ServerResponse(new IncomingMessage(new Socket())));
}

/** A listing of one page that is read and made anew, as the text of an answer. */
async function freshListing(
  { app }: RunningApp,
  customerId: string,
  platform: PlatformName,
  entityType: StoredEntityType,
): Promise<string> {
  const pages = new ListingPages(
    app.get(UnitOfWork, { strict: false }),
    new EventLoopScheduler(),
    new ResponseMemory(),
    0,
  );
  const page = await pages.page({ customerId, platform, entityType }, firstPage, responseTo(customerId));
  expect(page.next).toBeUndefined();
  return `{"data":${Buffer.concat(page.pieces).toString()}}`;
}

/** Expects both instances to list what one that remembers nothing lists; what they list. */
async function expectFresh({ service, other }: Places, caller: Caller): Promise<Record<string, string>> {
  const fresh: Record<string, string> = {};
  for (const platform of platformNames) {
    for (const type of storedEntityTypes)
      fresh[`${platform} ${type}`] = await freshListing(service, caller.customerId, platform, type);
  }
  for (const { url } of [service, other]) expect(await listingsAt(url, caller)).toEqual(fresh);
  return fresh;
}

// Rows that a test writes by hand need not give what the API describes, so nothing checks the answers against that.
async function listingsAt(url: string, { key }: Caller): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const platform of platformNames) {
    for (const type of storedEntityTypes) {
      const headers = { Authorization: `Bearer ${key}` };
      const answer = await fetch(`${url}/api/v1/objects?platform=${platform}&entity_type=${type}`, {
        headers,
      });
      texts[`${platform} ${type}`] = await answer.text();
    }
  }
  return texts;
}

describe('a remembered page', () => {
  const sources = new GivenRecords();
  let places: Places;
  let stored: StoredRecords;
  let caller: Caller;
  let client: ReturnType<typeof api>;
  let connected: Caller;
  const open = async () => {
    caller = await places.service.openSession();
    client = api(places.service.url, caller.key);
    give('platform_a', onA());
    give('platform_b', onB('CHK-9'));
  };
  beforeAll(async () => {
    places = await openPlaces(sources);
    stored = await StoredRecords.open(places.service.databaseUrl);
    await open();
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    connected = caller;
  });
  beforeEach(async () => {
    await open();
    await copyPortfolio(stored, connected.customerId, caller.customerId);
  });
  afterAll(async () => {
    await stored.close();
    await places.close();
  });

  const give = (...[platform, records, options]: [PlatformName, ReturnType<typeof onA>, object?]): void =>
    sources.give(caller.customerId, platform, records, options);

  function onA(changes: { readonly payment?: object; readonly project?: object } = {}) {
    return [
      record('project', { id: 10, name: 'Tower', project_number: 'P-10', ...changes.project }),
      record('payment', { id: 1, check_number: 'CHK-1', amount: '1.00', ...changes.payment }),
      record('payment', { id: 2, check_number: 'CHK-2', amount: '2.00' }),
    ];
  }

  function onB(number: string) {
    return [
      record('payment', { id: 'b-1', externalDocumentNumber: 'CHK-1' }),
      record('payment', { id: 'b-2', externalDocumentNumber: number }),
    ];
  }

  const change = (data: object, url = places.service.url) =>
    api(url, caller.key).post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '1',
      entity_type: 'payment',
      data,
    });

  const sql = (text: string) => async (): Promise<void> =>
    void (await stored.query(text, [caller.customerId]));

  const payments = "customer_id = $1 and entity_type = 'payment'";
  const writes: Readonly<Record<string, () => Promise<unknown>>> = {
    'a change of a record': () => change({ notes: 'changed' }),
    'a change by another instance': () => change({ notes: 'changed there' }, places.other.url),
    'a record that is read again': () => {
      give('platform_a', onA({ payment: { notes: 'read again' } }));
      return connect(client, 'platform_a');
    },
    'a record that came': () => {
      give('platform_a', [...onA(), record('payment', { id: 3, check_number: 'CHK-3' })]);
      return connect(client, 'platform_a');
    },
    'a record that went': sql(`delete from platform_records where ${payments} and platform_id = '2'`),
    'a merge': () => {
      give('platform_b', onB('CHK-2'));
      return connect(client, 'platform_b');
    },
    'another currency of a connection': () => {
      give('platform_a', onA(), { currency: 'QAR' });
      return connect(client, 'platform_a');
    },
    'values beside the records': sql(
      `update canonical_objects set extra = '{"notes":"beside"}' where ${payments}`,
    ),
    'a write that is accepted': sql(
      `update platform_records set accepted = replace(payload::text, '1.00', '7.00')::json,
         written_at = clock_timestamp() where ${payments} and platform_id = '1'`,
    ),
    'a write that was taken back': sql(
      `update platform_records set payload = replace(payload::text, '1.00', '8.00')::json, digest = null,
         written_at = clock_timestamp() where ${payments} and platform_id = '1'`,
    ),
    'a record that a release before digests has written': sql(
      `with old as (update platform_records set digest = null, written_at = null where ${payments})
       update canonical_objects set extra = '{"notes":"old"}' where ${payments}`,
    ),
    'another object of a reference': sql(
      `update platform_records set project_canonical_id = 'prj_another', invoice_canonical_id = 'inv_another'
       where ${payments} and platform_id = '1'`,
    ),
    'another object of a record': async () => {
      await sql(
        `insert into canonical_objects (customer_id, id, entity_type) values ($1, 'pay_new', 'payment')`,
      )();
      await sql(
        `update platform_records set canonical_id = 'pay_new' where ${payments} and platform_id = '2'`,
      )();
    },
    'the end of its connections': sql('delete from connections where customer_id = $1'),
  };

  it.each(Object.keys(writes))('follows %s at once', async (name) => {
    const before = await expectFresh(places, caller);
    await writes[name]?.();
    const after = await expectFresh(places, caller);
    expect(after['platform_a payment']).not.toBe(before['platform_a payment']);
  });

  it('follows a record without a digest by its text', async () => {
    await writes['a record that a release before digests has written']?.();
    const before = await expectFresh(places, caller);
    await stored.query(
      `update platform_records set payload = replace(payload::text, '2.00', '9.00')::json where ${payments}`,
      [caller.customerId],
    );
    expect(await expectFresh(places, caller)).not.toEqual(before);
  });

  it('follows what its records take from others: currency and number', async () => {
    await stored.query(
      `insert into canonical_objects (customer_id, id, entity_type) values ($1, 'con_1', 'contract'), ($1, 'inv_1', 'invoice')`,
      [caller.customerId],
    );
    await stored.query(
      `insert into platform_records (customer_id, platform, entity_type, platform_id, native_order, canonical_id, currency,
         number, project_canonical_id, payload)
       select $1, 'platform_a', type, '77', '77', id, null, null, project.canonical_id, '{"id":77}'
       from (values ('contract', 'con_1'), ('invoice', 'inv_1')) as parent (type, id), platform_records project
       where project.customer_id = $1 and project.entity_type = 'project' and project.platform = 'platform_a'`,
      [caller.customerId],
    );
    await sql(
      `update platform_records set contract_canonical_id = 'con_1', invoice_canonical_id = 'inv_1'
       where ${payments} and platform = 'platform_a' and platform_id = '1'`,
    )();
    let last = await expectFresh(places, caller);
    for (const write of [
      `update platform_records set currency = 'QAR' where customer_id = $1 and entity_type = 'project'`,
      `update platform_records set currency = 'AED' where customer_id = $1 and entity_type = 'contract'`,
      `update platform_records set number = 'INV-9' where customer_id = $1 and entity_type = 'invoice'`,
    ]) {
      await sql(write)();
      const now = await expectFresh(places, caller);
      expect(now['platform_a payment']).not.toBe(last['platform_a payment']);
      last = now;
    }
  });

  it('follows a write to a far platform, while it is open and when it is decided', async () => {
    const far = new FarPlatform('platform_a', onA());
    sources.use(caller.customerId, 'platform_a', far);
    await expectFresh(places, caller);
    far.reactions.push({ reject: 'It is closed' });
    await change({ notes: 'not taken' });
    const refused = await expectFresh(places, caller);
    await change({ notes: 'taken' });
    expect(await expectFresh(places, caller)).not.toEqual(refused);
  });

  it('is gone with its customer', async () => {
    await expectFresh(places, caller);
    expect((await client.delete('/demo/session')).status).toBe(204);
    expect(await freshListing(places.other, caller.customerId, 'platform_a', 'payment')).toBe('{"data":[]}');
    // An instance may know the key for a second more, and lists nothing then.
    const answer = await api(places.other.url, caller.key).get(
      '/objects?platform=platform_a&entity_type=payment',
    );
    expect(['{"data":[]}', 401]).toContain(answer.status === 200 ? answer.text : answer.status);
  });

  /** The rows of each statement that the service makes for the customer meanwhile. In the background it makes others. */
  async function statementsDuring(work: () => Promise<unknown>): Promise<readonly (readonly object[])[]> {
    const query = jest.spyOn(TransactionStore.prototype, 'query');
    try {
      await work();
      const { calls, results } = query.mock;
      const own = results.filter((_result, place) => calls[place]?.[1]?.includes(caller.customerId));
      return await Promise.all(own.map(({ value }) => value as Promise<readonly object[]>));
    } finally {
      query.mockRestore();
    }
  }

  it('costs one statement, which returns none of its records', async () => {
    await listing(client, 'platform_a', 'payment');
    const statements = await statementsDuring(async () => {
      expect(await listing(client, 'platform_a', 'payment')).toHaveLength(2);
    });
    expect(statements).toEqual([[expect.objectContaining({ canonical_id: null })]]);
  });

  it('of as many records as fit is the whole listing', async () => {
    const ids = Array.from({ length: 201 }, (_, index) => index + 1);
    const records = ids.map((id) => record('payment', { id, check_number: `CHK-${id}` }));
    const statements = async (): Promise<readonly (readonly object[])[]> => {
      await connect(client, 'platform_a');
      return statementsDuring(() => listing(client, 'platform_a', 'payment'));
    };
    give('platform_a', records.slice(0, 200));
    expect(await statements()).toHaveLength(1);
    give('platform_a', records);
    expect(await statements()).toHaveLength(2);
    expect((await listing(client, 'platform_a', 'payment')).map(({ id }) => Number(id))).toEqual(ids);
  });

  it('is asked for together by requests that come together', async () => {
    await listing(client, 'platform_a', 'payment');
    const pages = new ListingPages(
      places.service.app.get(UnitOfWork, { strict: false }),
      new EventLoopScheduler(),
      new ResponseMemory(),
    );
    const asked = { customerId: caller.customerId, platform: 'platform_a', entityType: 'payment' } as const;
    const ask = () => pages.page(asked, firstPage, responseTo(caller.customerId));
    const statements = await statementsDuring(() => Promise.all(Array.from({ length: 16 }, ask)));
    expect(statements).toHaveLength(1);
  });
});

describe('after any sequence of writes', () => {
  let places: Places;
  let all: Portfolios;
  beforeAll(async () => {
    places = await openPlaces();
    all = await portfolios(places.service);
  });
  afterAll(async () => {
    await all.close();
    await places.close();
  });

  it('an instance that remembers lists what one lists that does not', async () => {
    const first = await all.open();
    const on = async (platform: Platform): Promise<Record<StoredType, Listed[]>> => ({
      project: await first.list(platform, 'project'),
      customer: await first.list(platform, 'customer'),
      contract: await first.list(platform, 'contract'),
      invoice: await first.list(platform, 'invoice'),
      payment: await first.list(platform, 'payment'),
    });
    const listings = { platform_a: await on('platform_a'), platform_b: await on('platform_b') };
    const step = fc.oneof(
      { weight: 6, arbitrary: patches(knownIds(listings)) },
      { weight: 1, arbitrary: fc.constantFrom(...platforms) },
      { weight: 1, arbitrary: fc.constantFrom('1.5', '3.75').map((rate) => ({ rate })) },
    );
    const sequences = fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const portfolio = await all.open();
        await expectFresh(places, portfolio);
        for (const [write, elsewhere] of sequence) {
          const client = api((elsewhere ? places.other : places.service).url, portfolio.key);
          if (typeof write === 'string') await client.post('/connect', { platform: write });
          else if ('rate' in write) {
            await portfolio.sql(
              `insert into exchange_rates (customer_id, from_currency, to_currency, rate) values ($1, 'USD', 'QAR', $2)
               on conflict (customer_id, from_currency, to_currency) where ended_at is null
               do update set rate = excluded.rate`,
              [portfolio.customerId, write.rate],
            );
          } else {
            const { type, format, which, data } = write;
            const candidates: readonly Listed[] =
              listings[format === 'canonical' ? 'platform_a' : format][type];
            const target = candidates[which % candidates.length];
            const named =
              format === 'canonical'
                ? { format, canonical_id: target?.canonical_id }
                : { format: 'platform', platform: format, platform_id: target?.id };
            await client.post('/propagate', { ...named, entity_type: type, data, create_missing: true });
          }
          await expectFresh(places, portfolio);
        }
      }),
      { numRuns: randomCases(2) },
    );
  });
});
