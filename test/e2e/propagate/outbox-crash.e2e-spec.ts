import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { FarPlatform, portfolioRecords, type Reaction } from '../../support/far-platform';
import { servePlatform } from '../../support/http-platform';
import { latch, type Latch } from '../../support/latch';
import { portfolioOf, type Portfolio } from '../../support/portfolio';
import type { ServiceProcess } from '../../support/service-process';
import { servicesToKill, waitingFor } from '../../support/services-to-kill';

jest.setTimeout(180_000);

const ON_B = 'a34e74db-53c7-4368-8fe7-bb87c83c7902';

describe('a service killed while it writes to a platform that is far away', () => {
  const services = servicesToKill();
  const { open } = services;
  let far: FarPlatform;
  let served: Awaited<ReturnType<typeof servePlatform>>;
  let first: ServiceProcess;
  /** Opens when the service that sends a change has been killed. */
  let killed: Latch;

  beforeAll(async () => {
    served = await servePlatform(() => far);
  });
  beforeEach(async () => {
    far = new FarPlatform('platform_b', portfolioRecords('platform_b'));
    killed = latch();
    first = await start();
  });
  afterAll(() => served.close());

  const start = () => services.start({ main: 'run-far-service.ts', env: { FAR_PLATFORM: served.url } });

  const rows = (portfolio: Portfolio) =>
    portfolio.sql<{ status: string; open: boolean }>(
      'select status, decided_at is null as open from outbox_commands where customer_id = $1 order by seq',
      [portfolio.customerId],
    );

  /** Lets a lease end now: nobody waits for half a minute to see what comes then. */
  const expire = (portfolio: Portfolio) =>
    portfolio.sql(
      `update outbox_commands set lease_until = now() - interval '1 second' where customer_id = $1 and decided_at is null`,
      [portfolio.customerId],
    );

  async function until(portfolio: Portfolio, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let attemptsLeft = 1_500; attemptsLeft > 0; attemptsLeft -= 1) {
      if (await isSo()) return;
      await sleep(20);
    }
    throw new Error(`It did not come to it: ${JSON.stringify(await rows(portfolio))}`);
  }

  /** Expects a second service to end what the first one began: written once, and everywhere the same. */
  async function expectFinished(portfolio: Portfolio, notes: string): Promise<void> {
    const second = await start();
    await expire(portfolio);
    await until(portfolio, async () => (await rows(portfolio)).every(({ open: isOpen }) => !isOpen));
    expect((await rows(portfolio)).map(({ status }) => status)).toEqual(['applied', 'applied']);
    expect(far.effects).toHaveLength(1);
    const after = portfolioOf(second.url, portfolio, services.client);
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

  const change = (portfolio: Portfolio, notes: string) =>
    portfolio.native('platform_b', 'payment', ON_B, { comment: notes }).catch(() => undefined);

  const killedWhileWaiting = (portfolio: Portfolio, lock: string, statement: string): Promise<void> =>
    services.killWaiting(first, () => change(portfolio, 'never'), { lock, statement });

  it('before its statements were sent: nothing is stored, and nothing was sent', async () => {
    const portfolio = await open(first);
    const before = await portfolio.stored();
    await killedWhileWaiting(portfolio, 'lock table canonical_objects in exclusive mode', 'for update');
    expect(await portfolio.stored()).toEqual(before);
    expect(await rows(portfolio)).toEqual([]);
    expect(far.submitted).toEqual([]);
  });

  it('while the database stores the change: all of it is stored and goes on, or nothing is', async () => {
    const portfolio = await open(first);
    const before = await portfolio.stored();
    const insert = 'insert into outbox_commands';
    await killedWhileWaiting(portfolio, 'lock table outbox_commands in exclusive mode', insert);
    // The commit travels with the statements, so the database may go on when its client is gone.
    if ((await rows(portfolio)).length > 0) return expectFinished(portfolio, 'never');
    expect(await portfolio.stored()).toEqual(before);
    expect(far.submitted).toEqual([]);
  });

  it('after it has stored the change, before it has sent it', async () => {
    const portfolio = await open(first);
    // What is not due is not sent: the service stores the change, and is killed before its time comes.
    await portfolio.sql(
      `alter table outbox_commands alter column not_before set default now() + interval '1 hour'`,
    );
    try {
      const answer = change(portfolio, 'stored');
      await until(portfolio, async () => (await rows(portfolio)).length > 0);
      await first.kill();
      await answer;
    } finally {
      await portfolio.sql('alter table outbox_commands alter column not_before set default now()');
    }
    expect(far.submitted).toEqual([]);
    await portfolio.sql('update outbox_commands set not_before = now() where customer_id = $1', [
      portfolio.customerId,
    ]);
    await expectFinished(portfolio, 'stored');
  });

  it.each<[string, Reaction]>([
    [
      'after it has sent the change, which arrived, before it has the answer',
      async (command, platform) => {
        const payload = platform.take(command);
        await killed.opened;
        return { status: 'applied', payload };
      },
    ],
    [
      'after it has sent the change, which did not arrive',
      async () => {
        await killed.opened;
        return { status: 'uncertain' };
      },
    ],
  ])('%s', async (name, reaction) => {
    const portfolio = await open(first);
    far.reactions.push(reaction);
    const answer = change(portfolio, name);
    await until(portfolio, () => far.submitted.length === 1);
    await first.kill();
    killed.open();
    await answer;
    // The sandbox's own write waits behind it.
    expect((await rows(portfolio)).map(({ status }) => status)).toEqual(['sending', 'waiting']);
    await expectFinished(portfolio, name);
    expect(far.settled.length).toBeGreaterThan(0);
  });

  it('after it has the answer, before it has recorded it', async () => {
    const portfolio = await open(first);
    const holder = new Client({ connectionString: services.databaseUrl });
    await holder.connect();
    const { rows: own } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    try {
      far.reactions.push(async (command, platform) => {
        await holder.query('begin');
        await holder.query('select 1 from canonical_objects where customer_id = $1 for update', [
          portfolio.customerId,
        ]);
        return { status: 'applied', payload: platform.take(command) };
      });
      const answer = change(portfolio, 'answered');
      // It waits here to record the answer.
      await until(portfolio, async () => (await waitingFor(services.client, own[0]?.pid ?? 0)).length > 0);
      await first.kill();
      await answer;
    } finally {
      await holder.query('rollback');
      await holder.end();
    }
    await expectFinished(portfolio, 'answered');
  });

  it('after it has recorded the outcome: a second one finds nothing to do', async () => {
    const portfolio = await open(first);
    expect((await change(portfolio, 'done'))?.status).toBe(200);
    await first.kill();
    await expectFinished(portfolio, 'done');
    expect(far.submitted).toHaveLength(1);
    expect(far.settled).toHaveLength(0);
  });
});
