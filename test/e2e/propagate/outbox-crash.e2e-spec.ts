import { Client } from 'pg';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { FarPlatform, portfolioRecords, type Reaction } from '../../support/platforms/far-platform';
import { GivenRecords } from '../../support/platforms/given-records';
import { holdObjects, holdWrites, makeHoldable, type Hold } from '../../support/database/held-statements';
import { HttpPlatform, servePlatform } from '../../support/platforms/http-platform';
import { latch } from '../../support/this-process/latch';
import { until } from '../../support/live/live-work';
import { portfolioOf, portfolios, type Portfolio, ON_B } from '../../support/customers/portfolio';
import { startServiceProcess } from '../../support/processes/service-process';
import { shortenWaits } from '../../support/app/short-waits';

// A process is started and killed.
jest.setTimeout(180_000);

const steps = [
  'before its statements were sent',
  'while the database stores the change',
  'after it has stored the change, before it has sent it',
  'after it has sent the change, which arrived, before it has the answer',
  'after it has sent the change, which did not arrive',
  'after it has the answer, before it has recorded it',
  'after it has recorded the outcome',
  'after it has sent the change of a request with an Idempotency-Key',
] as const;
type Step = (typeof steps)[number];

interface Row {
  readonly status: string;
  readonly open: boolean;
}

/** The change of one customer, which the kill finds at a step of its way. */
interface Change {
  readonly portfolio: Portfolio;
  readonly far: FarPlatform;
  /** What the customer had stored before. */
  readonly before: readonly string[];
  /** Its commands when the service had been killed. */
  rows: readonly Row[];
}

describe('a service killed while it writes to a platform that is far away', () => {
  const sources = new GivenRecords();
  let database: TestDatabase;
  let client: Client;
  let served: Awaited<ReturnType<typeof servePlatform>>;
  /** What comes after the service that was killed. */
  let second: RunningApp;
  const changes = new Map<Step, Change>();

  const at = (step: Step): Change => {
    const change = changes.get(step);
    if (change === undefined) throw new Error(`There is no change ${step}`);
    return change;
  };

  const rows = (portfolio: Portfolio) =>
    portfolio.sql<Row>(
      'select status, decided_at is null as open from outbox_commands where customer_id = $1 order by seq',
      [portfolio.customerId],
    );

  const change = (portfolio: Portfolio, notes: string) =>
    portfolio.native('platform_b', 'payment', ON_B, { comment: notes }).catch(() => undefined);

  const keyed = (url: string, { key }: Portfolio) =>
    api(url, key).post(
      '/propagate',
      {
        format: 'platform',
        platform: 'platform_b',
        platform_id: ON_B,
        entity_type: 'payment',
        data: { comment: 'once' },
      },
      { 'Idempotency-Key': 'far' },
    );

  // One process is enough for all: each customer's change is brought to its step, and the kill finds them there.
  beforeAll(async () => {
    database = await migratedDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await makeHoldable(database.url, 'outbox_commands');
    served = await servePlatform((customerId) => {
      const [found] = [...changes.values()].filter(({ portfolio }) => portfolio.customerId === customerId);
      if (found === undefined) throw new Error(`Nothing is to be written for ${customerId}`);
      return found.far;
    });
    const first = await startServiceProcess(database.url, {
      main: 'run-far-service.ts',
      env: { FAR_PLATFORM: served.url },
    });
    const all = await portfolios({
      url: first.url,
      databaseUrl: database.url,
      openSession: async () => {
        // These tests do not concern the limit of sessions a minute.
        await client.query('delete from rate_limit_windows');
        const { body } = await api(first.url).post('/demo/session');
        return { key: body.data.api_key, customerId: body.data.customer_id };
      },
    });
    for (const step of steps) {
      const portfolio = portfolioOf(first.url, await all.open(), client);
      const far = new FarPlatform('platform_b', portfolioRecords('platform_b'));
      changes.set(step, { portfolio, far, before: await portfolio.stored(), rows: [] });
      // The second service would otherwise have a sandbox there.
      sources.use(portfolio.customerId, 'platform_b', new HttpPlatform('platform_b', served.url));
    }
    await all.close();

    const killed = latch();
    const sent: Promise<unknown>[] = [];
    const holds: Hold[] = [];
    /** Begins a change to which the platform reacts so, and returns when the platform has it. */
    const submitted = async (step: Step, send: () => Promise<unknown>, reaction: Reaction): Promise<void> => {
      const { far } = at(step);
      far.reactions.push(reaction);
      sent.push(send());
      await until(`the change ${step} is submitted`, () => far.submitted.length === 1);
    };
    const arrives: Reaction = async (command, platform) => {
      const payload = platform.take(command);
      await killed.opened;
      return { status: 'applied', payload };
    };

    const recorded = at('after it has recorded the outcome').portfolio;
    expect((await change(recorded, 'done'))?.status).toBe(200);

    // What is not due is not sent: the service stores the change, and is killed before its time comes.
    await client.query(
      `alter table outbox_commands alter column not_before set default now() + interval '1 hour'`,
    );
    const { portfolio: stored } = at('after it has stored the change, before it has sent it');
    sent.push(change(stored, 'stored'));
    await until('the change is stored', async () => (await rows(stored)).length > 0);
    await client.query('alter table outbox_commands alter column not_before set default now()');

    const arrived = 'after it has sent the change, which arrived, before it has the answer';
    await submitted(arrived, () => change(at(arrived).portfolio, arrived), arrives);
    const withKey = 'after it has sent the change of a request with an Idempotency-Key';
    const repeated = () => keyed(first.url, at(withKey).portfolio).catch(() => undefined);
    await submitted(withKey, repeated, arrives);
    const lost = 'after it has sent the change, which did not arrive';
    await submitted(
      lost,
      () => change(at(lost).portfolio, lost),
      async () => {
        await killed.opened;
        return { status: 'uncertain' };
      },
    );

    const { portfolio: answered, far: answering } = at('after it has the answer, before it has recorded it');
    const objects = latch<Hold>();
    answering.reactions.push(async (command, platform) => {
      objects.open(await holdObjects(database.url, answered.customerId));
      return { status: 'applied', payload: platform.take(command) };
    });
    sent.push(change(answered, 'answered'));
    holds.push(await objects.opened);
    // It waits here to record the answer.
    await holds.at(-1)?.met();

    const { portfolio: unsent } = at('before its statements were sent');
    holds.push(await holdObjects(database.url, unsent.customerId));
    sent.push(change(unsent, 'never'));
    await holds.at(-1)?.met('for update');

    const { portfolio: storing } = at('while the database stores the change');
    holds.push(await holdWrites(database.url, storing.customerId, 'outbox_commands'));
    sent.push(change(storing, 'never'));
    await holds.at(-1)?.met('insert into outbox_commands');

    await first.kill();
    killed.open();
    await Promise.all(sent);
    for (const hold of holds) await hold.letGo();
    for (const one of changes.values()) one.rows = await rows(one.portfolio);
    // Nothing is taken over before its test.
    await client.query(
      `update outbox_commands set lease_until = now() + interval '1 hour' where decided_at is null and lease_until is not null`,
    );
    second = await startApp({ databaseUrl: database.url, propagateWaitMs: 0 }, [], sources);
    shortenWaits(second.app);
  });
  afterAll(async () => {
    await second.close();
    await served.close();
    await client.end();
    await database.drop();
  });

  /** Lets a lease end now: nobody waits for half a minute to see what comes then. */
  const expire = (portfolio: Portfolio) =>
    portfolio.sql(
      `update outbox_commands set lease_until = now() - interval '1 second' where customer_id = $1 and decided_at is null`,
      [portfolio.customerId],
    );

  /** Expects a second service to end what the first one began: written once, and everywhere the same. */
  async function expectFinished({ portfolio, far }: Change, notes: string): Promise<void> {
    await expire(portfolio);
    await until('all commands are decided', async () =>
      (await rows(portfolio)).every(({ open: isOpen }) => !isOpen),
    );
    expect((await rows(portfolio)).map(({ status }) => status)).toEqual(['applied', 'applied']);
    expect(far.effects).toHaveLength(1);
    const after = portfolioOf(second.url, portfolio, client);
    const listed = await after.find('platform_b', 'payment', ON_B);
    expect(listed.data.notes).toBe(notes);
    expect(listed.platform_data.comment).toBe(notes);
    expect((await after.find('platform_a', 'payment', '1823456')).platform_data.notes).toBe(notes);
    expect(far.payload('payment', ON_B)).toMatchObject({ comment: notes });
    const [left] = await portfolio.sql<{ count: number }>(
      `select (select count(*) from platform_records where customer_id = $1 and accepted is not null)::int
         + (select count(*) from propagations where customer_id = $1 and decided_at is null)::int as count`,
      [portfolio.customerId],
    );
    expect(left?.count).toBe(0);
  }

  it('before its statements were sent: nothing is stored, and nothing was sent', async () => {
    const { portfolio, far, before, rows: left } = at('before its statements were sent');
    expect(await portfolio.stored()).toEqual(before);
    expect(left).toEqual([]);
    expect(far.submitted).toEqual([]);
  });

  it('while the database stores the change: all of it is stored and goes on, or nothing is', async () => {
    const storing = at('while the database stores the change');
    // The commit travels with the statements, so the database may go on when its client is gone.
    if (storing.rows.length > 0) return expectFinished(storing, 'never');
    expect(await storing.portfolio.stored()).toEqual(storing.before);
    expect(storing.far.submitted).toEqual([]);
  });

  it('after it has stored the change, before it has sent it', async () => {
    const stored = at('after it has stored the change, before it has sent it');
    expect(stored.rows).toHaveLength(2);
    expect(stored.far.submitted).toEqual([]);
    await stored.portfolio.sql('update outbox_commands set not_before = now() where customer_id = $1', [
      stored.portfolio.customerId,
    ]);
    await expectFinished(stored, 'stored');
  });

  it.each([
    'after it has sent the change, which arrived, before it has the answer',
    'after it has sent the change, which did not arrive',
  ] as const)('%s', async (step) => {
    const sent = at(step);
    // The sandbox's own write waits behind it.
    expect(sent.rows.map(({ status }) => status)).toEqual(['sending', 'waiting']);
    await expectFinished(sent, step);
    expect(sent.far.settled.length).toBeGreaterThan(0);
  });

  it('after it has the answer, before it has recorded it', async () => {
    await expectFinished(at('after it has the answer, before it has recorded it'), 'answered');
  });

  it('after it has recorded the outcome: a second one finds nothing to do', async () => {
    const recorded = at('after it has recorded the outcome');
    await expectFinished(recorded, 'done');
    expect(recorded.far.submitted).toHaveLength(1);
    expect(recorded.far.settled).toHaveLength(0);
  });

  it('after it has sent the change of a request with an Idempotency-Key: the answer is made from the change', async () => {
    const { portfolio, far } = at('after it has sent the change of a request with an Idempotency-Key');
    const again = () => keyed(second.url, portfolio);
    let replay = await again();
    await until('the key of the dead request is free', async () => {
      if (replay.status !== 409) return true;
      expect(replay.body.error.message).toMatch(/still under way/);
      // The lease of a dead request ends by itself: nobody waits for it.
      await portfolio.sql(`update idempotency_keys set lease_until = now() where customer_id = $1`, [
        portfolio.customerId,
      ]);
      replay = await again();
      return false;
    });
    expect(replay.status).toBe(200);
    expect(replay.headers.get('Idempotent-Replayed')).toBe('true');
    const [propagation] = await portfolio.sql<{ id: string }>(
      'select id from propagations where customer_id = $1',
      [portfolio.customerId],
    );
    expect(replay.body.data).toMatchObject({
      propagation_id: propagation?.id,
      propagated: { platform_b: { status: 'pending' } },
    });
    await expire(portfolio);
    await until('the change is applied', async () => {
      const { body } = await again();
      return body.data.propagated.platform_a.status === 'applied';
    });
    expect(far.effects).toHaveLength(1);
  });
});
