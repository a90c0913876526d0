import { randomUUID } from 'node:crypto';
import { storedEntityTypes, type PlatformName } from '@app/mapper';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { exponentOf } from '../../../libs/mapper/src/index';
import { ExchangeRatesService } from '../../../src/terms/rates/exchange-rates.service';
import { RatesModule } from '../../../src/terms/rates/rates.module';
import type { SourceRecord } from '../../../src/platforms/connector';
import { converterInto } from '../../../src/reconciliation/comparisons/conversion';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { changedSince, touchedSince } from '../../../src/records/history/changed-since';
import { VersionRetention } from '../../../src/objects/history/version-retention';
import { Freshness } from '../../../src/reconciliation/freshness/freshness';
import { dueCustomers } from '../../../src/records/changes/due-comparisons.repository';
import { ComparisonWorker } from '../../../src/reconciliation/freshness/comparison-worker';
import { LOGGER, type Logger } from '../../../src/runtime/logging/logger';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { ComparisonRefresher } from '../../../src/reconciliation/freshness/refresher';
import { DeletedRetention } from '../../../src/sync/absences/deleted-retention';
import { Workers } from '../../../src/runtime/background/workers';
import { StatementService } from '../../../src/reconciliation/statement/statement.service';
import { CasesService } from '../../../src/reconciliation/cases/cases.service';
import type { StatementQuery } from '../../../src/reconciliation/statement/statement.dto';
import { StatementTimes } from '../../../src/reconciliation/freshness/statement-times';
import {
  convertedSql,
  factorParameters,
  factorsSql,
} from '../../../src/reconciliation/statement/figures/tallies.repository';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { decide, withdraw } from '../../support/customers/deciding';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { makeLive } from '../../support/live/live-connections';
import { MovingPlatform } from '../../support/platforms/moving-platform';
import { StoredRecords } from '../../support/database/stored-records';
import { someRequest } from '../../support/app/request';
import { guid } from '../../support/records/guid';
import { readPlatform } from '../../support/platforms/read-platform';

jest.setTimeout(180_000);

const platforms = ['platform_a', 'platform_b'] as const;

/** A thing that both platforms may have: what its records say, and on which of them it stands. */
interface Draft {
  readonly number: number;
  readonly on: 'a' | 'b' | 'both';
  readonly amounts: readonly [number, number];
  readonly currency: string;
  readonly note: string;
  /** Dates of the payment on each platform; null for none. */
  readonly dates?: readonly [string | null, string | null];
}

const day = fc.option(fc.constantFrom('2026-01-31', '2026-02-01', '2026-02-15'));

const draft: fc.Arbitrary<Draft> = fc.record({
  // Few numbers, so that they repeat.
  number: fc.integer({ min: 1, max: 4 }),
  on: fc.constantFrom('a', 'b', 'both'),
  amounts: fc.tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -99, max: 99 })),
  currency: fc.constantFrom('USD', 'QAR', 'JPY', 'EUR'),
  note: fc.constantFrom('x', 'y', 'y'),
  dates: fc.tuple(day, day),
});

type Step =
  | {
      readonly do: 'connect';
      readonly platform: PlatformName;
      readonly drafts: readonly Draft[];
      readonly project: string;
    }
  | { readonly do: 'propagate'; readonly at: number; readonly note: string; readonly key: string }
  | { readonly do: 'rate'; readonly to: string; readonly rate: string | null }
  | { readonly do: 'remove'; readonly at: number }
  | { readonly do: 'decide'; readonly at: number; readonly other: number; readonly same: boolean }
  | { readonly do: 'withdraw'; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('connect' as const),
      platform: fc.constantFrom(...platforms),
      drafts: fc.array(draft, { maxLength: 6 }),
      project: fc.constantFrom('USD', 'QAR', 'EUR'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('propagate' as const),
      at: fc.nat(20),
      note: fc.constantFrom('x', 'z'),
      key: fc.constantFrom('CHK-1', 'CHK-2', 'CHK-7'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('rate' as const),
      to: fc.constantFrom('JPY', 'EUR'),
      rate: fc.option(fc.constantFrom('2', '150.5')),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat(20) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      at: fc.nat(20),
      other: fc.nat(20),
      same: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), at: fc.nat(20) }) },
);

/** The records of a platform: a project, a contract of it, and payments of the contract. */
function recordsOn(platform: PlatformName, drafts: readonly Draft[], project: string): SourceRecord[] {
  const isA = platform === 'platform_a';
  const own = drafts.filter(({ on }) => on === 'both' || on === (isA ? 'a' : 'b'));
  const payments = own.map(({ number, amounts, currency, note, dates = [null, null] }, at) =>
    isA
      ? record('payment', {
          id: 100 + at,
          amount: `${amounts[0]}.00`,
          check_number: `CHK-${number}`,
          notes: note,
          date: dates[0],
          contract_id: 50,
          project_id: 9,
        })
      : record('payment', {
          id: guid(100 + at),
          amount: -amounts[1],
          currencyCode: currency,
          externalDocumentNumber: `chk-${number}`,
          comment: note,
          ...(dates[1] !== null && { postingDate: dates[1] }),
        }),
  );
  if (!isA) return payments;
  return [
    record('project', { id: 9, name: 'Tower', project_number: 'P-9' }),
    record(
      'contract',
      {
        id: 50,
        number: 'C-1',
        title: 'Works',
        grand_total: '10.00',
        project: { id: 9 },
        currency_configuration: { currency_iso_code: project },
      },
      'WorkOrderContract',
    ),
    ...payments,
  ];
}

/** A record that comes and is replaced before comparisons follow: it is a candidate of others that were there before. */
const cameAndWasReplaced: [Step, boolean][] = (
  [
    ['platform_a', ['a', 'a'], 'x'],
    ['platform_b', ['both'], 'x'],
    ['platform_b', ['both'], 'y'],
  ] as const
).map(([platform, drafts, note], place) => [
  {
    do: 'connect',
    platform,
    drafts: drafts.map((on): Draft => ({ number: 3, on, amounts: [0, 0], currency: 'USD', note })),
    project: 'USD',
  },
  place === 0,
]);

describe('the comparisons of a customer', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let second: RunningApp;
  let stored: StoredRecords;
  beforeAll(async () => {
    service = await startApp({}, [RatesModule], sources);
    second = await startApp({ databaseUrl: service.databaseUrl }, [], sources);
    stored = await StoredRecords.open(service.databaseUrl);
  });
  afterAll(async () => {
    await stored.close();
    await second.close();
    await service.close();
  });

  /** What retention does once all that is gone has been gone for as long as history is kept. */
  const forgetDeleted = async (): Promise<void> => {
    const inAMinute = new Date(Date.now() + 60_000);
    await service.app.get(VersionRetention, { strict: false }).purge(inAMinute);
    await service.app.get(DeletedRetention, { strict: false }).purge(inAMinute);
  };
  const follow = (customerId: string, app = service) =>
    app.app.get(Freshness, { strict: false }).follow(customerId, 60_000);

  const settled = (customerId: string): Promise<string> =>
    service.app.get(CasesService, { strict: false }).moment(customerId);

  const momentOf = async (client: ReturnType<typeof api>): Promise<string> =>
    (await client.get('/reconciliation')).body.data.as_of;

  const statementAt = (
    customerId: string,
    moment: string,
    gone = new AbortController().signal,
    query: StatementQuery = {},
  ) =>
    service.app
      .get(StatementService, { strict: false })
      .statement(customerId, { ...query, as_of: moment }, someRequest, gone);

  /** Everything that is said of a time: statements and cases, of all documents and up to a day, by any age. */
  const saidOf = async (customerId: string, moment: string) => {
    const { signal } = new AbortController();
    const listed = service.app.get(CasesService, { strict: false });
    const said: unknown[] = [];
    for (const query of [
      {},
      { through: '2026-02-01', age_by: 'document' },
      { through: '2026-01-31', age_by: 'due' },
    ] as const) {
      said.push(await statementAt(customerId, moment, signal, query));
      const { facets, pages } = await listed.all(customerId, query, moment);
      said.push(facets);
      for await (const page of pages) said.push(page);
    }
    return said;
  };

  /** Nothing is few enough to be compared by itself. */
  async function withAllCompared<T>(work: () => Promise<T>): Promise<T> {
    const times = service.app.get(StatementTimes, { strict: false });
    times.touched = -1;
    try {
      return await work();
    } finally {
      times.touched = new StatementTimes().touched;
    }
  }

  const everything = async (customerId: string) => ({
    comparisons: await stored.query(
      `select *, opened_at::text as opened, null as valid_from from comparisons where customer_id = '${customerId}'
       order by object_id, left_platform, right_platform`,
    ),
    cases: await stored.query<{ readonly field: string | null }>(
      `select *, opened_at::text as opened, detail::text as details, null as valid_from from comparison_cases
       where customer_id = '${customerId}' order by id`,
    ),
  });

  const fromNothing = async (customerId: string) => {
    for (const table of ['comparison_states', 'stale_comparisons', 'comparisons', 'comparison_cases']) {
      await stored.query(`delete from ${table} where customer_id = '${customerId}'`);
    }
    await follow(customerId);
    return everything(customerId);
  };

  async function take(step: Step, customerId: string, client: ReturnType<typeof api>): Promise<void> {
    const rates = service.app.get(ExchangeRatesService, { strict: false });
    const listed = async (): Promise<{ id: string; platform: PlatformName }[]> => {
      const all = await Promise.all(
        platforms.map((platform) => client.get(`/objects?platform=${platform}&entity_type=payment`)),
      );
      return all.flatMap(({ body }) => body.data);
    };
    switch (step.do) {
      case 'connect':
        sources.give(customerId, step.platform, recordsOn(step.platform, step.drafts, step.project));
        await connect(client, step.platform);
        return;
      case 'propagate': {
        const all = await listed();
        const one = all[step.at % Math.max(1, all.length)];
        if (one === undefined) return;
        const data =
          one.platform === 'platform_a'
            ? { notes: step.note, check_number: step.key }
            : { comment: step.note, externalDocumentNumber: step.key };
        // A key may be another object's by now, which is refused.
        const { platform, id } = one;
        await client.post('/propagate', {
          format: 'platform',
          platform,
          platform_id: id,
          entity_type: 'payment',
          data,
        });
        return;
      }
      case 'rate':
        if (step.rate !== null) await rates.set(customerId, { from: 'USD', to: step.to, rate: step.rate });
        else await rates.remove(customerId, 'USD', step.to).catch(() => undefined);
        return;
      case 'remove': {
        const all = await listed();
        const one = all[step.at % Math.max(1, all.length)];
        if (one !== undefined) await remove(customerId, one.platform, one.id);
        return;
      }
      case 'decide': {
        const all = await listed();
        const [left, right] = platforms.map((platform, at) => {
          const own = all.filter((one) => one.platform === platform);
          return own[(at === 0 ? step.at : step.other) % Math.max(1, own.length)]?.id;
        });
        if (left === undefined || right === undefined) return;
        // What another decision contradicts is refused.
        await decide(client, step.same ? 'link' : 'not_same', 'payment', [
          `platform_a ${left}`,
          `platform_b ${right}`,
        ]);
        return;
      }
      case 'withdraw': {
        const { body } = await client.get('/reconciliation/decisions?status=standing');
        const made = body.data[step.at % Math.max(1, body.data.length)];
        if (made !== undefined) await withdraw(client, made.id);
      }
    }
  }

  /** Removes a record as a reading that found it gone does: its version is kept, and the change has its row. */
  async function remove(customerId: string, platform: PlatformName, id: string): Promise<void> {
    const change = randomUUID();
    const columns = `customer_id, platform, entity_type, platform_id, native_order, canonical_id, variant, currency,
      business_key, number, project_ref, customer_ref, contract_ref, invoice_ref, project_canonical_id,
      customer_canonical_id, contract_canonical_id, invoice_canonical_id, payload, accepted, modified_at, digest, since,
      changed_by`;
    await stored.query(
      `with cause as (select clock_timestamp() as at),
       gone as (
         delete from platform_records where customer_id = '${customerId}' and platform = '${platform}'
           and entity_type = 'payment' and platform_id = '${id}' returning *
       ),
       kept as (
         insert into record_versions (${columns}, until, ended_by)
         select ${columns}, cause.at, '${change}' from gone, cause
       )
       insert into changes (customer_id, id, at, origin, platform)
       select '${customerId}', '${change}', cause.at, 'run', '${platform}' from cause`,
    );
  }

  it('are what they would be if they were made from nothing, whatever has changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.boolean()), { minLength: 2, maxLength: 8 }),
        async (steps) => {
          const { key, customerId } = await service.openSession();
          const client = api(service.url, key);
          for (const platform of platforms)
            await take({ do: 'connect', platform, drafts: [], project: 'USD' }, customerId, client);
          await follow(customerId);
          const moments: string[] = [];
          for (const [one, followed] of steps) {
            await take(one, customerId, client);
            // Some moments are those of a statement; others lie between refreshes, before or after the change.
            if (followed) moments.push(await momentOf(client));
            else moments.push(await settled(customerId));
          }
          await follow(customerId);
          // The past is the same, whether all of it is compared anew or read from the kept comparisons.
          for (const moment of moments.slice(0, 2)) {
            const past = await saidOf(customerId, moment);
            expect(past).toEqual(await withAllCompared(() => saidOf(customerId, moment)));
          }
          // All further changes follow the first, and few or none the last.
          for (const moment of [...moments.slice(0, 1), ...moments.slice(-1)])
            await expectChangedFound(customerId, moment);
          const refreshed = await everything(customerId);
          expect(refreshed).toEqual(await fromNothing(customerId));
        },
      ),
      { numRuns: randomCases(3), examples: [[cameAndWasReplaced]] },
    );
  });

  /** Indexes lead to every object that may have changed since a time, and to every parent that lets another one have changed. */
  async function expectChangedFound(customerId: string, time: string): Promise<void> {
    const found = touchedSince('$2', '$3', '1000');
    // With that many, all parents are compared.
    const parents = `(select t.entity_type, '' as canonical_id
      from unnest('{project,customer,contract,invoice}'::text[]) t (entity_type) cross join generate_series(1, 1000))`;
    for (const type of storedEntityTypes) {
      const others = await stored.query<{ canonical_id: string }>(
        `select k.canonical_id from platform_records k
         where k.customer_id = $1 and k.entity_type = $3 and ${changedSince('k', '$2')} <> ${changedSince('k', '$2', parents)}`,
        [customerId, time, type],
      );
      expect({ type, others }).toEqual({ type, others: [] });
      const missed = await stored.query<{ canonical_id: string }>(
        `select k.canonical_id from platform_records k
         where k.customer_id = $1 and k.entity_type = $3 and ${changedSince('k', '$2')}
           and k.canonical_id not in (${found})`,
        [customerId, time, type],
      );
      expect({ type, missed }).toEqual({ type, missed: [] });
    }
  }

  it('follow what a record inherits: its contract’s currency', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const drafts: Draft[] = [{ number: 1, on: 'both', amounts: [5, 5], currency: 'USD', note: 'x' }];
    await take({ do: 'connect', platform: 'platform_b', drafts, project: 'USD' }, customerId, client);
    for (const currency of ['USD', 'QAR']) {
      await take({ do: 'connect', platform: 'platform_a', drafts, project: currency }, customerId, client);
      await follow(customerId);
      const rows = await stored.query(
        `select state, left_currency from comparisons where customer_id = '${customerId}' and entity_type = 'payment'`,
      );
      const state = currency === 'USD' ? 'agree' : 'disagree';
      expect(rows).toEqual([{ state, left_currency: currency }]);
    }
    expect(await everything(customerId)).toEqual(await fromNothing(customerId));
  });

  it.each([
    ['goes and comes back', () => Promise.resolve()],
    // The object stays: platform_a has the invoice as well.
    ['comes back after its history has been removed', forgetDeleted],
  ])('follow what a record inherits from one that %s: its invoice’s currency', async (_, afterwards) => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, check_number: 'CHK-1', amount: '10.00' }),
      record('invoice', { id: 9, invoice_number: 'INV-9' }),
    ]);
    await connect(client, 'platform_a');
    const invoice = record('invoice', {
      id: guid(9),
      externalDocumentNumber: 'INV-9',
      totalAmountIncludingTax: 10,
      currencyCode: 'USD',
    });
    const paid = { externalDocumentNumber: 'CHK-1', amount: -10, appliesToInvoiceId: guid(9) };
    const platform = new MovingPlatform([invoice, record('payment', { id: guid(1), ...paid })], 'QAR');
    sources.use(customerId, 'platform_b', platform);
    await makeLive(stored, customerId, 'platform_b');
    await connect(client, 'platform_b');
    const states: unknown[] = [];
    for (const change of [
      () => undefined,
      () => platform.remove('invoice', `"${guid(9)}"`),
      () => platform.put(invoice),
    ]) {
      change();
      await readPlatform(service, { customerId, platform: 'platform_b' });
      await follow(customerId);
      await afterwards();
      const [row] = await stored.query(
        `select state, right_currency as currency from comparisons
         where customer_id = '${customerId}' and entity_type = 'payment'`,
      );
      states.push(row);
    }
    expect(states).toEqual([
      { state: 'agree', currency: 'USD' },
      { state: 'disagree', currency: 'QAR' },
      { state: 'agree', currency: 'USD' },
    ]);
    expect(await everything(customerId)).toEqual(await fromNothing(customerId));
  });

  it('follow values that no record holds: the title of a contract that platform_b has alone', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    await take({ do: 'connect', platform: 'platform_a', drafts: [], project: 'USD' }, customerId, client);
    const contract = { id: guid(1), externalDocumentNumber: 'C-7', totalAmountExcludingTax: 5 };
    sources.give(customerId, 'platform_b', [record('contract', contract)]);
    await connect(client, 'platform_b');
    const labels = async (query = ''): Promise<unknown> =>
      (await client.get(`/reconciliation/cases?platform=platform_b${query}`)).body.data.map(
        ({ label }: { label: string }) => label,
      );
    expect(await labels()).toEqual(['C-7']);
    const before = await momentOf(client);
    const [{ canonical_id: id }] = (await client.get('/objects?platform=platform_b&entity_type=contract'))
      .body.data;
    for (const title of ['Works', 'Piling']) {
      const change = { format: 'canonical', entity_type: 'contract', canonical_id: id, data: { title } };
      const { status } = await client.post('/propagate', change);
      expect(status).toBe(200);
      expect(await labels()).toEqual([`C-7 ${title}`]);
    }
    expect(await labels(`&as_of=${before}`)).toEqual(['C-7']);
    expect(await everything(customerId)).toEqual(await fromNothing(customerId));
  });

  it('are the same when two instances follow while records change', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    for (let round = 0; round < 3; round += 1) {
      const drafts = Array.from({ length: 60 }, (_, at): Draft => ({
        number: at,
        on: (['a', 'b', 'both'] as const)[(at + round) % 3] ?? 'both',
        amounts: [at, at + (round % 2)],
        currency: 'USD',
        note: `round ${round}`,
      }));
      for (const platform of platforms) {
        sources.give(customerId, platform, recordsOn(platform, drafts, 'USD'));
        await Promise.all([connect(client, platform), follow(customerId), follow(customerId, second)]);
      }
    }
    const listed = await client.get('/objects?platform=platform_a&entity_type=payment');
    await Promise.all([
      ...listed.body.data.slice(0, 20).map(({ id }: { id: string }) =>
        client.post('/propagate', {
          format: 'platform',
          platform: 'platform_a',
          platform_id: id,
          entity_type: 'payment',
          data: { notes: 'at once' },
        }),
      ),
      ...Array.from({ length: 5 }, (_, at) => follow(customerId, at % 2 === 0 ? service : second)),
    ]);
    await Promise.all([follow(customerId), follow(customerId, second)]);
    const refreshed = await everything(customerId);
    expect(refreshed.comparisons.length).toBeGreaterThan(40);
    expect(refreshed).toEqual(await fromNothing(customerId));
  });

  it('are taken over when the instance that worked on them is gone', async () => {
    const { key, customerId } = await service.openSession();
    await connect(api(service.url, key), 'platform_a');
    await stored.query(
      `insert into comparison_states (customer_id, fingerprint, changed_until, walked, lease_owner, lease_until)
       values ('${customerId}', 'old', now(), 'cor', '${randomUUID()}', now() + interval '1 second')`,
    );
    await follow(customerId);
    const { comparisons } = await everything(customerId);
    expect(comparisons).toHaveLength(38);
  });

  it('end a statement of the past that takes too long, or whose client has left', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    await connect(client, 'platform_a');
    const moment = await momentOf(client);
    await withAllCompared(async () => {
      const gone = AbortSignal.abort(new Error('nobody waits'));
      await expect(statementAt(customerId, moment, gone)).rejects.toThrow('nobody waits');
      const times = service.app.get(StatementTimes, { strict: false });
      times.past = -1;
      const answer = await client.get(`/reconciliation?as_of=${moment}`);
      times.past = new StatementTimes().past;
      expect(answer.status).toBe(502);
      expect(answer.body.error.message).toContain('ask for one entity_type at a time');
      expect((await client.get(`/reconciliation?as_of=${moment}`)).status).toBe(200);
    });
  });

  describe('in the background', () => {
    // What has just changed is due at once.
    beforeAll(() => (service.app.get(StatementTimes, { strict: false }).quiet = 0));

    const noStop = new AbortController().signal;
    const pace = { quiet: 0, longestWait: 0 };
    const unitOfWork = () => service.app.get(UnitOfWork, { strict: false });
    const due = (how = pace) => unitOfWork().run((store) => dueCustomers(store, how, 1000));
    const lag = () => service.app.get(ComparisonWorker, { strict: false }).lag();
    const drafts: Draft[] = [{ number: 1, on: 'both', amounts: [5, 6], currency: 'USD', note: 'x' }];

    const standing = async () => {
      const { key, customerId } = await service.issueKey('live');
      const client = api(service.url, key);
      for (const platform of platforms)
        await take({ do: 'connect', platform, drafts, project: 'USD' }, customerId, client);
      return { client, customerId };
    };

    /** Looks as often as the service would, until nothing is due. The services of this file look by themselves as well. */
    const keep = async (worker: ComparisonWorker, customerId: string) => {
      const isDone = async () => {
        const [state] = await stored.query<{ done: boolean }>(
          `select s.walked is null and s.lease_owner is null and s.fingerprint <> 'old'
             and not exists (select from stale_comparisons o where o.customer_id = s.customer_id)
             and not exists (select from changes c where c.customer_id = s.customer_id and c.at > s.changed_until)
             and not exists (select from due_comparisons d where d.customer_id = s.customer_id) as done
           from comparison_states s where s.customer_id = '${customerId}'`,
        );
        return state?.done === true;
      };
      while (!(await isDone())) {
        await worker.poll(noStop);
        await worker.idle();
      }
    };

    it('follow the records of a customer without a request, and report how far they are behind', async () => {
      // What is behind is told of all customers, those of other tests too.
      await stored.query('delete from due_comparisons');
      const { client, customerId } = await standing();
      const worker = service.app.get(ComparisonWorker, { strict: false });
      await keep(worker, customerId);
      expect((await everything(customerId)).comparisons).toHaveLength(3);
      expect(await due()).not.toContain(customerId);
      expect(await lag()).toBe(0);
      await take({ do: 'propagate', at: 0, note: 'z', key: 'CHK-1' }, customerId, client);
      await keep(worker, customerId);
      const { cases } = await everything(customerId);
      expect(cases.map(({ field }) => field)).toContain('amount');
      expect(await everything(customerId)).toEqual(await fromNothing(customerId));
    });

    it('wait a limited time for the end of changes and readings, and leave other customers their turn', async () => {
      const { customerId } = await standing();
      await keep(service.app.get(ComparisonWorker, { strict: false }), customerId);
      const never = 1e12;
      // As if it had come behind what was followed, and nobody could have seen it yet.
      await stored.query(
        `update comparison_states set lease_owner = '${customerId}', lease_until = now() + interval '1 hour',
           changed_until = '-infinity' where customer_id = '${customerId}'`,
      );
      await stored.query(
        `insert into due_comparisons (customer_id, id, since, due_at)
         values ('${customerId}', gen_random_uuid(), now() - interval '1 second', now())`,
      );
      expect(await due()).not.toContain(customerId);
      expect(await lag()).toBeGreaterThan(0);
      const asked = async (how: typeof pace) => {
        // In one transaction that is taken back: the services of this file would take it otherwise.
        let found: readonly string[] = [];
        const undone = new Error('undone');
        const work = unitOfWork().run(async (store) => {
          await store.query(`update comparison_states set lease_owner = null where customer_id = $1`, [
            customerId,
          ]);
          found = await dueCustomers(store, how, 1000);
          throw undone;
        });
        await expect(work).rejects.toBe(undone);
        return found;
      };
      expect(await asked({ quiet: 0, longestWait: never })).toContain(customerId);
      expect(await asked({ quiet: never, longestWait: never })).not.toContain(customerId);
      expect(await asked({ quiet: never, longestWait: 0 })).toContain(customerId);
      await stored.query(
        `insert into sync_runs (customer_id, id, platform, mode, status, lease_owner, lease_until)
         values ('${customerId}', gen_random_uuid(), 'platform_a', 'sandbox', 'running', gen_random_uuid(), now() + interval '1 hour')`,
      );
      expect(await asked({ quiet: 0, longestWait: never })).not.toContain(customerId);
      expect(await asked({ quiet: 0, longestWait: 0 })).toContain(customerId);
    });

    it('compare anew what another release has compared, and leave demo sessions alone', async () => {
      const demo = await service.openSession();
      await connect(api(service.url, demo.key), 'platform_a');
      const { customerId } = await standing();
      const worker = service.app.get(ComparisonWorker, { strict: false });
      await keep(worker, customerId);
      await stored.query(
        `update comparison_states set fingerprint = 'old' where customer_id = '${customerId}'`,
      );
      const part = <T>(type: abstract new (...parameters: never[]) => T): T =>
        service.app.get<T>(type, { strict: false });
      const started = new ComparisonWorker(
        unitOfWork(),
        part(ComparisonRefresher),
        part(StatementTimes),
        part(Metrics),
        part(Workers),
        service.app.get<Logger>(LOGGER, { strict: false }),
      );
      await keep(started, customerId);
      expect(await due()).not.toContain(demo.customerId);
      expect((await everything(demo.customerId)).comparisons).toEqual([]);
    });
  });

  it('convert in the database exactly as the money library does', async () => {
    const code = fc.constantFrom('USD', 'QAR', 'JPY', 'KWD', 'CLF');
    const quote = fc
      .tuple(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.integer({ min: 0, max: 20 }))
      .map(([units, scale]) => {
        const digits = String(units).padStart(scale + 1, '0');
        return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
      });
    const simple = fc.integer({ min: 1, max: 1000 }).map((units) => String(units / 8));
    const amounts = fc.array(
      fc.oneof(
        fc.maxSafeInteger(),
        fc.integer({ min: -1000, max: 1000 }),
        fc.integer({ min: -1e9, max: 1e9 }),
      ),
      { minLength: 1, maxLength: 50 },
    );
    await fc.assert(
      fc.asyncProperty(amounts, code, code, fc.oneof(quote, simple), async (given, from, to, rate) => {
        fc.pre(from !== to);
        const rates = [{ from, to, rate }];
        const parameters = factorParameters(to, [from], rates).map(
          (list) => `array[${list.map((text) => `'${text}'`).join(',')}]`,
        );
        const factors = factorsSql(1).replace(
          /\$(\d)::text\[\]/g,
          (_all, at: string) => parameters[Number(at) - 1] ?? '',
        );
        const rows = await stored.query<{ converted: string | null }>(
          `select (${convertedSql('given.amount', 'f')})::text as converted
           from unnest(array[${given.join(',')}]::bigint[]) with ordinality given (amount, place)
           left join ${factors} f on f.currency = '${from}' order by place`,
        );
        const convert = converterInto(to, rates);
        const most = BigInt(Number.MAX_SAFE_INTEGER);
        const found = rows.map(({ converted }) => {
          const value = converted === null ? undefined : BigInt(converted);
          return value === undefined || value > most || value < -most ? undefined : value;
        });
        expect(found).toEqual(given.map((amount) => convert({ amount, currency: from })));
        expect(exponentOf(to)).toBeGreaterThanOrEqual(0);
      }),
      // Nothing, at a rate that fits into no eight bytes.
      { numRuns: 200, examples: [[[0], 'QAR', 'USD', '2305843009213693953']] },
    );
  });
});
