// The database is restarted, frozen, read-only, and cuts connections, under changes, connects, decisions and own fields on two instances: clients get 502 and send again, and all has its effect once.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { fc } from '../../libs/mapper/src/testing/property';
import { migrate } from '../../src/database/schema/migrate';
import { OwnServer } from '../e2e/database/own-server';
import { startApp, type Caller, type RunningApp } from '../support/app';
import { campaign } from '../support/campaign';
import { portfolioOf } from '../support/portfolio';
import {
  changes,
  connects,
  decisions,
  ownFields,
  untilDone,
  type RepeatedWork,
} from '../support/repeated-work';

const CHANGED = ['1823456', 'a34e74db-53c7-4368-8fe7-bb87c83c7902'] as const;
const DECIDED = ['1823502', '92fbc013-8f0d-4443-a376-030481c85182'] as const;

/** What happens to the database. */
const disturbance = fc.record({
  kind: fc.constantFrom('restart', 'freeze', 'cut', 'read-only'),
  afterMs: fc.integer({ min: 0, max: 300 }),
  forMs: fc.integer({ min: 0, max: 2_000 }),
});

/** Work of one customer, and how many of its requests were sent. */
interface Course {
  readonly work: RepeatedWork;
  readonly caller: Caller;
  steps: number;
}

campaign('database', (campaign) => {
  let server: OwnServer;
  let instances: readonly [RunningApp, RunningApp];
  const courses: Course[] = [];
  beforeAll(async () => {
    server = await OwnServer.start();
    await migrate(server.url);
    const settings = { databaseUrl: server.url, logLevel: 'silent' } as const;
    instances = [await startApp(settings), await startApp(settings)];
    for (const work of [changes(...CHANGED), connects, decisions(...DECIDED), ownFields])
      courses.push({ work, caller: await instances[0].openSession(), steps: 0 });
    await looking(async (client) => {
      for (const { caller } of courses)
        for (const platform of ['platform_a', 'platform_b'] as const)
          await portfolioOf(instances[0].url, caller, client).connect(platform);
    });
  });
  afterAll(async () => {
    const [first, second] = instances;
    await second.close();
    await first.close();
    await server.remove();
  });

  /** Work with a connection of its own: the server ends those that are kept. */
  async function looking<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async function disturb(kind: string, forMs: number): Promise<void> {
    const query = (text: string) => looking((client) => client.query(text));
    switch (kind) {
      case 'restart':
        await server.stop();
        await sleep(forMs);
        return server.start();
      case 'freeze':
        await server.freeze();
        await sleep(forMs);
        return server.thaw();
      case 'read-only':
        await query('alter system set default_transaction_read_only = on');
        await query('select pg_reload_conf()');
        await sleep(forMs);
        await query('alter system reset default_transaction_read_only');
        await query('select pg_reload_conf()');
        return;
      default:
        await query(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
        );
    }
  }

  campaign.part('loses and doubles nothing', async (time) => {
    for (const { kind, afterMs, forMs } of time.cases(disturbance)) {
      const unanswered: unknown[] = [];
      const sent = courses.map((course, place) => {
        course.steps += 1;
        const { work, caller, steps } = course;
        const { url } = instances[(place + steps) % 2 === 0 ? 0 : 1];
        return untilDone(
          async () => {
            campaign.count('requests');
            return work.send(url, caller, steps).then(
              (answer) => {
                if (answer.status === 502) {
                  campaign.count('answers 502');
                  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
                }
                return answer;
              },
              (error: unknown) => {
                unanswered.push(error);
                throw error;
              },
            );
          },
          () => sleep(100),
        );
      });
      await sleep(afterMs);
      await disturb(kind, forMs);
      campaign.count(kind);
      const answers = await Promise.all(sent);
      expect(unanswered).toEqual([]);
      await looking(async (client) => {
        for (const [place, { work, caller, steps }] of courses.entries()) {
          const answer = answers[place];
          const portfolio = portfolioOf(instances[0].url, caller, client);
          if (answer !== undefined) await work.expectOnce(portfolio, steps, answer);
        }
      });
    }
  });
});
