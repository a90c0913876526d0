// Backups of a stopped and a running server and dumps are restored on another server: a service there shows all as before, and goes on without doubling.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { migrate } from '../../src/database/schema/migrate';
import { HostResolver } from '../../src/webhook-endpoints/address/endpoint-addresses';
import { masterKey } from '../e2e/credentials/master-keys';
import { OwnServer } from '../e2e/database/own-server';
import { api } from '../support/app/api';
import { startApp, type Caller, type RunningApp } from '../support/app/app';
import { campaign } from '../support/campaign/campaign';
import { copyOfRunning, copyOfStopped, dumpOf } from '../support/database/database-backups';
import { liftRateLimits } from '../support/app/short-waits';
import { installedCluster, installedPostgres } from '../support/installed/installed-postgres';
import { RestoredLife, restorings } from '../support/campaign/live/restored-life';
import { markedCustomer, rowsAtRest, type MarkedCustomer } from '../support/customers/marked-customer';
import { portfolioOf, type Listed } from '../support/customers/portfolio';
import {
  changes,
  connects,
  ownFields,
  untilDone,
  type RepeatedWork,
} from '../support/customers/repeated-work';
import { StoredRecords } from '../support/database/stored-records';
import { readWhole, type WholeReading } from '../support/customers/whole-reading';

const CHANGED = ['1823456', 'a34e74db-53c7-4368-8fe7-bb87c83c7902'] as const;

/** The work of a customer that continues during a backup, and the number of its answered requests. */
interface Workload {
  readonly work: RepeatedWork;
  readonly caller: Caller;
  steps: number;
}

/** A way to transfer the database of one server to another one. */
interface Way {
  readonly name: string;
  /** Whether the server must be stopped. */
  readonly isStopped: boolean;
  readonly start: () => Promise<OwnServer>;
  readonly back: (server: OwnServer) => Promise<OwnServer>;
}

/** Milliseconds for which work continues before and after a backup. */
const AROUND_MS = 500;

campaign('restore', (campaign) => {
  const settings = { credentialsKeys: [masterKey('restore')], logLevel: 'silent' } as const;

  async function startOn({ url }: OwnServer): Promise<RunningApp> {
    const app = await startApp({ ...settings, databaseUrl: url });
    const resolver = app.app.get(HostResolver, { strict: false });
    jest.spyOn(resolver, 'resolve').mockResolvedValue([{ address: '93.184.215.14', family: 4 }]);
    return app;
  }

  /** Runs work with its own connection to a database. */
  async function withClient<Result>(
    { url }: OwnServer,
    work: (client: Client) => Promise<Result>,
  ): Promise<Result> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async function openWorkloads(server: OwnServer, app: RunningApp): Promise<readonly Workload[]> {
    const workloads: Workload[] = [];
    for (const work of [changes(...CHANGED), connects, ownFields])
      workloads.push({ work, caller: await app.openSession(), steps: 0 });
    await withClient(server, async (client) => {
      for (const { caller } of workloads)
        for (const platform of ['platform_a', 'platform_b'] as const)
          await portfolioOf(app.url, caller, client).connect(platform);
    });
    return workloads;
  }

  /** Sends requests until the end, one after the other in each workload. */
  async function goOn(app: RunningApp, workloads: readonly Workload[], isOver: () => boolean): Promise<void> {
    await Promise.all(
      workloads.map(async (workload) => {
        while (!isOver()) {
          const step = workload.steps + 1;
          await untilDone(
            () => workload.work.send(app.url, workload.caller, step),
            () => Promise.resolve(),
          );
          workload.steps = step;
        }
      }),
    );
  }

  /**
   * Clients repeat all requests that were answered since the backup began, and send a further one. Expects that each
   * takes effect once.
   */
  async function repeat(server: OwnServer, app: RunningApp, workload: Workload, from: number): Promise<void> {
    const { work, caller } = workload;
    workload.steps += 1;
    for (let step = Math.max(from, 1); step <= workload.steps; step += 1) {
      const answer = await untilDone(
        () => work.send(app.url, caller, step),
        () => sleep(50),
      );
      if (answer.headers.get('Idempotent-Replayed') === 'true') campaign.count('answers replayed');
      campaign.count('requests sent again');
      if (step === workload.steps)
        await withClient(server, (client) =>
          work.expectOnce(portfolioOf(app.url, caller, client), step, answer),
        );
    }
  }

  async function timeOf({ client }: MarkedCustomer): Promise<string> {
    const { body } = await client.get('/reconciliation?currency=USD');
    return body.data.as_of;
  }

  /** Waits until the service has read the stored records for a new own field. */
  async function untilFieldsAreReady({ client }: MarkedCustomer): Promise<void> {
    for (let looksLeft = 300; looksLeft > 0; looksLeft -= 1) {
      const { body } = await client.get('/fields');
      const fields = body.data as readonly { readonly status: string }[];
      if (fields.every(({ status }) => status === 'ready')) return;
      await sleep(100);
    }
    throw new Error('The own fields are never ready');
  }

  /** Expects that the feed continues after its last cursor with the events of a further change and no others. */
  async function expectFeedGoesOn(app: RunningApp, customer: MarkedCustomer): Promise<void> {
    const client = api(app.url, customer.key);
    let [cursor, seen] = ['', new Set<string>()];
    const page = async () => {
      const { body } = await client.get(`/events?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
      cursor = encodeURIComponent(body.next_cursor);
      return body.data as readonly { readonly id: string; readonly type: string }[];
    };
    for (let events = await page(); events.length > 0; events = await page())
      seen = new Set([...seen, ...events.map(({ id }) => id)]);
    const data = { notes: 'after the restore' };
    const body = { format: 'canonical', canonical_id: customer.ids.objects, entity_type: 'payment', data };
    const headers = { 'Idempotency-Key': 'after-the-restore' };
    const first = await client.post('/propagate', body, headers);
    const again = await client.post('/propagate', body, headers);
    expect([first.status, again.text, again.headers.get('Idempotent-Replayed')]).toEqual([
      200,
      first.text,
      'true',
    ]);
    const events = await page();
    expect(events.filter(({ id }) => seen.has(id))).toEqual([]);
    expect(events.map(({ type }) => type).toSorted()).toContain('object.changed');
    const { body: listed } = await client.get('/objects?platform=platform_a&entity_type=payment');
    const changed = (listed.data as readonly Listed[]).filter(({ data: { notes } }) => notes === data.notes);
    expect(changed.map(({ canonical_id: id }) => id)).toEqual([customer.ids.objects]);
  }

  /** The state before a backup, and the answers that clients had received. */
  interface Before {
    readonly customer: MarkedCustomer;
    readonly workloads: readonly Workload[];
    readonly asOf: string;
    readonly read: WholeReading;
    /** The number of answered requests of each workload when the backup began. */
    readonly answered: readonly number[];
  }

  /** Makes a backup while one customer is idle and several work, or after their service was stopped. */
  async function backUp(
    server: OwnServer,
    seed: number,
    { back, isStopped }: Way,
  ): Promise<readonly [Before, OwnServer]> {
    await migrate(server.url);
    const app = await startOn(server);
    let isOver = false;
    let work = Promise.resolve();
    const end = async (): Promise<void> => {
      isOver = true;
      await work;
      await app.close();
    };
    try {
      const customer = await markedCustomer(app, `m-${seed}`);
      const workloads = await openWorkloads(server, app);
      const stored = await StoredRecords.open(server.url);
      await rowsAtRest(stored, customer);
      await stored.close();
      await untilFieldsAreReady(customer);
      const asOf = await timeOf(customer);
      const read = await readWhole(app.url, customer.key, asOf);
      work = goOn(app, workloads, () => isOver);
      await sleep(AROUND_MS);
      if (isStopped) {
        await end();
        await server.stop();
      }
      const before = { customer, workloads, asOf, read, answered: workloads.map(({ steps }) => steps) };
      const restored = await back(server);
      if (!isStopped) await sleep(AROUND_MS);
      return [before, restored];
    } finally {
      if (!isOver) await end();
    }
  }

  /** Starts a service on the restored database. Expects that it shows the same data and continues to work. */
  async function restore(
    server: OwnServer,
    { customer, workloads, asOf, read, answered }: Before,
  ): Promise<void> {
    const app = await startOn(server);
    try {
      const again = await readWhole(app.url, customer.key, asOf);
      expect([...again.keys()]).toEqual([...read.keys()]);
      const differing = [...read].filter(([path, text]) => again.get(path) !== text);
      expect(differing.map(([path, text]) => ({ path, text: again.get(path), before: text }))).toEqual([]);
      campaign.count('answers compared', read.size);
      for (const [place, workload] of workloads.entries())
        await repeat(server, app, workload, answered[place] ?? 0);
      await expectFeedGoesOn(app, customer);
    } finally {
      await app.close();
    }
  }

  const ways: readonly Way[] = [
    {
      name: 'copies of a stopped server',
      isStopped: true,
      start: () => OwnServer.start(),
      back: copyOfStopped,
    },
    {
      name: 'copies of a running server',
      isStopped: false,
      start: () => OwnServer.start(),
      back: copyOfRunning,
    },
    {
      name: 'dumps',
      isStopped: false,
      start: async () => {
        const installed = await installedPostgres();
        return OwnServer.start(undefined, (folder) => installedCluster(installed, folder));
      },
      back: async (server) => dumpOf(server, await installedPostgres()),
    },
  ];
  for (const way of ways) {
    campaign.part(`${way.name} show all as before and go on`, async (time) => {
      for (const seed of time.seeds()) {
        const server = await way.start();
        try {
          const [before, restored] = await backUp(server, seed, way);
          try {
            await restore(restored, before);
          } finally {
            await restored.remove();
          }
        } finally {
          await server.remove();
        }
        campaign.count(way.name);
      }
    });
  }

  campaign.part('live platforms are read, and keep what was written after a backup', async (time) => {
    const close = liftRateLimits();
    const life = await RestoredLife.start();
    try {
      let seed = campaign.seed;
      for (const restoring of time.cases(restorings)) {
        try {
          await life.run(restoring, (seed += 1));
        } catch (error) {
          throw new Error(JSON.stringify({ seed, restoring }), { cause: error });
        }
        campaign.count('backups of customers with live platforms');
      }
      for (const [figure, count] of life.figures) campaign.count(figure, count);
    } finally {
      await life.close();
      close();
    }
  });
});
