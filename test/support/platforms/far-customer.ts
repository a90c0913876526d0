import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { PlatformName } from '@app/mapper';
import type { ConsoleFiles } from '../../../src/console/console-files';
import type { Environment } from '../../../src/runtime/config/environment';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { PropagateWait } from '../../../src/propagate/propagate.service';
import { startApp, type RunningApp } from '../app/app';
import { FarPlatform, portfolioRecords } from './far-platform';
import { GivenRecords } from './given-records';
import { latch, type Latch } from '../this-process/latch';
import { platforms, portfolios, type Portfolio } from '../customers/portfolio';

/** A service whose customers may have remote platforms, which answer late. */
export interface FarService {
  readonly app: RunningApp;
  readonly database: Client;
  /** Opens a customer with the sample portfolio on both platforms. The named platforms are remote. */
  open(...names: readonly PlatformName[]): Promise<FarCustomer>;
  /** Sets the delay of answers from now on, in milliseconds. */
  waitFor(milliseconds: number): void;
  close(): Promise<void>;
}

/** A customer with remote platforms. */
export interface FarCustomer extends Portfolio {
  readonly far: Record<'platform_a' | 'platform_b', FarPlatform>;
  /** Reads the present state of a change. */
  propagation(id: string): Promise<ReturnType<typeof JSON.parse>>;
  /** Commands, in the order in which they were accepted. */
  commands(): Promise<readonly CommandRow[]>;
  /** Waits until every command is decided. Returns their statuses in order. */
  decided(): Promise<string[]>;
  /** Waits until a condition holds. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
}

/** The columns of a command that tests read. */
export interface CommandRow {
  readonly id: string;
  readonly propagation_id: string;
  readonly canonical_id: string;
  readonly platform: PlatformName;
  readonly status: string;
  readonly open: boolean;
  readonly attempts: number;
  readonly checks: number;
}

/** Starts the service with settings that differ from the defaults, and with the console if it is given. */
export async function startFarService(
  overrides: Partial<Environment> = {},
  files?: ConsoleFiles,
): Promise<FarService> {
  const given = new GivenRecords();
  const app = await startApp(overrides, [], given, files);
  Object.assign(app.app.get(Dispatcher, { strict: false }), { pollMs: 100 });
  const all = await portfolios(app);
  const { database } = all;
  return {
    app,
    database,
    open: async (...names) => {
      // A remote platform brings what a sandbox brings, so the rows of sandboxes serve both.
      const portfolio = await all.open();
      const far = {
        platform_a: new FarPlatform('platform_a', portfolioRecords('platform_a')),
        platform_b: new FarPlatform('platform_b', portfolioRecords('platform_b')),
      };
      for (const name of platforms) {
        if (names.includes(name)) given.use(portfolio.customerId, name, far[name]);
      }
      return customerOf(app, portfolio, far);
    },
    waitFor: (milliseconds) => {
      app.app.get(PropagateWait, { strict: false }).milliseconds = milliseconds;
    },
    close: async () => {
      for (const open of latches.splice(0)) open();
      await all.close();
      await app.close();
    },
  };
}

function customerOf(app: RunningApp, portfolio: Portfolio, far: FarCustomer['far']): FarCustomer {
  const commands = () =>
    portfolio.sql<CommandRow>(
      `select id, propagation_id, canonical_id, platform, status, decided_at is null as open, attempts, checks
       from outbox_commands where customer_id = $1 order by seq`,
      [portfolio.customerId],
    );
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    for (let attemptsLeft = 1_000; attemptsLeft > 0; attemptsLeft -= 1) {
      if (await isSo()) return;
      app.app.get(Dispatcher, { strict: false }).wake();
      await sleep(20);
    }
    throw new Error(`It did not come to it: ${JSON.stringify(await commands())}`);
  };
  return {
    ...portfolio,
    far,
    commands,
    until,
    propagation: async (id) => {
      const { status, body } = await portfolio.client.get(`/propagations/${id}`);
      expect(status).toBe(200);
      return body.data;
    },
    decided: async () => {
      await until(async () => (await commands()).every(({ open }) => !open));
      return (await commands()).map(({ status }) => status);
    },
  };
}

const latches: (() => void)[] = [];

/** A latch that a far service also opens when it closes, so that a test that fails before it opens it does not keep it. */
export function latchUntilClose(): Latch {
  const made = latch();
  latches.push(made.open);
  return made;
}
