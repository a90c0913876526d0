// The database is restarted, frozen, read-only, away for a minute, cuts connections, has no room left, or fails and a standby takes over, under changes, connects, decisions and own fields on two instances: clients get 502 and send again, and all has its effect once.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { fc } from '../../libs/mapper/src/testing/property';
import { migrate } from '../../src/database/schema/migrate';
import { OwnServer } from '../e2e/database/own-server';
import { campaign } from '../support/campaign/campaign';
import { CustomersAtWork } from '../support/campaign/customers-at-work';
import { promote, standbyOf } from '../support/database/database-backups';
import { startDatabaseProxy } from '../support/database/database-proxy';
import { ServerOnSmallDisk } from '../support/database/server-on-small-disk';

/** The disturbance of the database, and its time relative to the requests. */
const disturbance = fc.record({
  kind: fc.constantFrom('restart', 'freeze', 'cut', 'read-only'),
  afterMs: fc.integer({ min: 0, max: 300 }),
  forMs: fc.integer({ min: 0, max: 2_000 }),
});

/** Milliseconds for which the database is unreachable once. */
const LONG_MS = 60_000;

/** Milliseconds within which both instances must answer after the database does. */
const BACK_MS = 1_000;

campaign('database', (campaign) => {
  /** Runs work on a migrated server, optionally behind a proxy. */
  async function working(
    server: OwnServer,
    run: (customers: CustomersAtWork) => Promise<void>,
    url = server.url,
  ): Promise<void> {
    await migrate(server.url);
    const customers = await CustomersAtWork.start(url);
    try {
      await run(customers);
    } finally {
      await customers.close();
    }
  }

  async function disturbed(
    customers: CustomersAtWork,
    kind: string,
    disturb: () => Promise<void>,
  ): Promise<void> {
    const { requests, unavailable, backAfterMs } = await customers.during(disturb);
    campaign.count(kind);
    campaign.count('requests', requests);
    campaign.count('answers 502', unavailable);
    campaign.most('ms until answers are back', backAfterMs);
    expect(backAfterMs).toBeLessThan(BACK_MS);
  }

  campaign.part('loses and doubles nothing while it is away, read-only or cuts connections', async (time) => {
    const server = await OwnServer.start();
    try {
      await working(server, async (customers) => {
        for (const { kind, afterMs, forMs } of time.cases(disturbance))
          await disturbed(customers, kind, async () => {
            await sleep(afterMs);
            await disturb(server, kind, forMs);
          });
        await disturbed(customers, 'away for a minute', () => disturb(server, 'restart', LONG_MS));
      });
    } finally {
      await server.remove();
    }
  });

  campaign.part('loses and doubles nothing on a disk that is full for a while', async (time) => {
    const small = await ServerOnSmallDisk.start();
    try {
      await working(small.server, async (customers) => {
        for (const { forMs } of time.cases(disturbance)) {
          await small.fill();
          await disturbed(customers, 'full disk', async () => {
            await sleep(forMs);
            await small.free();
          });
        }
      });
    } finally {
      await small.remove();
    }
  });

  campaign.part('loses nothing that it answered when a standby takes over', async (time) => {
    let primary = await OwnServer.start();
    const proxy = await startDatabaseProxy(primary.url);
    try {
      // Test servers run with this switched off, and then no commit waits for the standby.
      await query(primary, 'alter database postgres set synchronous_commit = on');
      await working(
        primary,
        async (customers) => {
          for (const { afterMs } of time.cases(disturbance)) {
            const failing = primary;
            const standby = await standbyOf(failing);
            await disturbed(customers, 'takeover', async () => {
              await sleep(afterMs);
              await failing.kill();
              await promote(standby);
              proxy.moveTo(standby.url);
            });
            primary = standby;
            await failing.remove();
          }
        },
        proxy.url,
      );
    } finally {
      await proxy.stop();
      await primary.remove();
    }
  });
});

/** Resolves when the server takes connections again. */
async function disturb(server: OwnServer, kind: string, forMs: number): Promise<void> {
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
      await query(server, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()');
      await sleep(forMs);
      return query(server, 'alter system reset default_transaction_read_only', 'select pg_reload_conf()');
    default:
      return query(
        server,
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
      );
  }
}

async function query({ url }: OwnServer, ...texts: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
}
