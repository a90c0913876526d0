import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { api } from './api';
import { startApp, type Caller, type RunningApp } from './app';
import { portfolioOf } from './portfolio';
import { changes, connects, decisions, ownFields, untilDone, type RepeatedWork } from './repeated-work';

/** A payment that both platforms have, by its IDs there. */
const CHANGED = ['1823456', 'a34e74db-53c7-4368-8fe7-bb87c83c7902'] as const;
const DECIDED = ['1823502', '92fbc013-8f0d-4443-a376-030481c85182'] as const;

/** Work of one customer, and how many of its requests were sent. */
interface Course {
  readonly work: RepeatedWork;
  readonly caller: Caller;
  steps: number;
}

/** What a disturbance of the database meant to clients. */
export interface Disturbed {
  readonly requests: number;
  /** Of these, answered 502. */
  readonly unavailable: number;
  /** Milliseconds from the end of the disturbance until both instances answer a read. */
  readonly backAfterMs: number;
}

/** Two instances of the service on one database, and customers that each repeat one kind of work there. */
export class CustomersAtWork {
  private readonly courses: Course[] = [];

  private constructor(
    private readonly databaseUrl: string,
    private readonly instances: readonly [RunningApp, RunningApp],
  ) {}

  /** @param databaseUrl of a migrated database */
  static async start(databaseUrl: string): Promise<CustomersAtWork> {
    const settings = { databaseUrl, logLevel: 'silent' } as const;
    const started = new CustomersAtWork(databaseUrl, [await startApp(settings), await startApp(settings)]);
    for (const work of [changes(...CHANGED), connects, decisions(...DECIDED), ownFields])
      started.courses.push({ work, caller: await started.instances[0].openSession(), steps: 0 });
    await started.looking(async (client) => {
      for (const { caller } of started.courses)
        for (const platform of ['platform_a', 'platform_b'] as const)
          await portfolioOf(started.instances[0].url, caller, client).connect(platform);
    });
    return started;
  }

  /**
   * Each customer sends the next request of its work until it is done, while the database is disturbed. Expects that each
   * request gets an answer, a 502 says when to come back, and all work has its effect once.
   *
   * @param disturb resolves when the database takes connections again
   */
  async during(disturb: () => Promise<void>): Promise<Disturbed> {
    const unanswered: unknown[] = [];
    const seen = { requests: 0, unavailable: 0 };
    const sent = this.courses.map((course, place) => {
      course.steps += 1;
      const { work, caller, steps } = course;
      const { url } = this.instances[(place + steps) % 2 === 0 ? 0 : 1];
      return untilDone(
        async () => {
          seen.requests += 1;
          try {
            const answer = await work.send(url, caller, steps);
            if (answer.status === 502) {
              seen.unavailable += 1;
              expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
            }
            return answer;
          } catch (error) {
            unanswered.push(error);
            throw error;
          }
        },
        () => sleep(100),
      );
    });
    await disturb();
    const backAfterMs = await this.untilBack();
    const answers = await Promise.all(sent);
    expect(unanswered).toEqual([]);
    await this.looking(async (client) => {
      for (const [place, { work, caller, steps }] of this.courses.entries()) {
        const answer = answers[place];
        const portfolio = portfolioOf(this.instances[0].url, caller, client);
        if (answer !== undefined) await work.expectOnce(portfolio, steps, answer);
      }
    });
    return { ...seen, backAfterMs };
  }

  async close(): Promise<void> {
    for (const instance of [...this.instances].reverse()) await instance.close();
  }

  private async untilBack(): Promise<number> {
    const key = this.courses[0]?.caller.key ?? '';
    const began = performance.now();
    await Promise.all(
      this.instances.map(async ({ url }) => {
        while ((await api(url, key).get('/connections')).status !== 200) await sleep(20);
      }),
    );
    return performance.now() - began;
  }

  /** Work with a connection of its own: the server ends those that are kept. */
  private async looking(work: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }
}
