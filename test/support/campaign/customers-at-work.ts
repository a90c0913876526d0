import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { api } from '../app/api';
import { startApp, type Caller, type RunningApp } from '../app/app';
import { portfolioOf } from '../customers/portfolio';
import {
  changes,
  connects,
  decisions,
  ownFields,
  untilDone,
  type RepeatedWork,
} from '../customers/repeated-work';

/** A payment that both platforms have, by its IDs there. */
const CHANGED = ['1823456', 'a34e74db-53c7-4368-8fe7-bb87c83c7902'] as const;
const DECIDED = ['1823502', '92fbc013-8f0d-4443-a376-030481c85182'] as const;

/** The work of one customer, and the number of requests sent so far. */
interface Workload {
  readonly work: RepeatedWork;
  readonly caller: Caller;
  steps: number;
}

/** The effect of a disturbance of the database on clients. */
export interface Disturbed {
  readonly requests: number;
  /** Requests that were answered with 502. */
  readonly unavailable: number;
  /** Milliseconds from the end of the disturbance until both instances answer a read. */
  readonly backAfterMs: number;
}

/** Two instances of the service on one database, and customers that each repeat one kind of work there. */
export class CustomersAtWork {
  private readonly workloads: Workload[] = [];

  private constructor(
    private readonly databaseUrl: string,
    private readonly instances: readonly [RunningApp, RunningApp],
  ) {}

  /** @param databaseUrl of a migrated database */
  static async start(databaseUrl: string): Promise<CustomersAtWork> {
    const settings = { databaseUrl, logLevel: 'silent' } as const;
    const started = new CustomersAtWork(databaseUrl, [await startApp(settings), await startApp(settings)]);
    for (const work of [changes(...CHANGED), connects, decisions(...DECIDED), ownFields])
      started.workloads.push({ work, caller: await started.instances[0].openSession(), steps: 0 });
    await started.withClient(async (client) => {
      for (const { caller } of started.workloads)
        for (const platform of ['platform_a', 'platform_b'] as const)
          await portfolioOf(started.instances[0].url, caller, client).connect(platform);
    });
    return started;
  }

  /**
   * Disturbs the database while each customer sends the next request of its work until it succeeds. Expects that each
   * request gets an answer, that a 502 has a `Retry-After`, and that all work takes effect once.
   *
   * @param disturb resolves when the database takes connections again
   */
  async during(disturb: () => Promise<void>): Promise<Disturbed> {
    const unanswered: unknown[] = [];
    const seen = { requests: 0, unavailable: 0 };
    const sent = this.workloads.map((workload, place) => {
      workload.steps += 1;
      const { work, caller, steps } = workload;
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
    await this.withClient(async (client) => {
      for (const [place, { work, caller, steps }] of this.workloads.entries()) {
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
    const key = this.workloads[0]?.caller.key ?? '';
    const began = performance.now();
    await Promise.all(
      this.instances.map(async ({ url }) => {
        while ((await api(url, key).get('/connections')).status !== 200) await sleep(20);
      }),
    );
    return performance.now() - began;
  }

  /** Runs work with a new connection, because the server ends connections that are kept. */
  private async withClient(work: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }
}
