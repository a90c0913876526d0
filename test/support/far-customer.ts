import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { PlatformName } from '@app/mapper';
import type { ConsoleFiles } from '../../src/console/console-files';
import type { Environment } from '../../src/runtime/config/environment';
import { Dispatcher } from '../../src/outbox/dispatch/dispatcher';
import { PropagateWait } from '../../src/propagate/propagate.service';
import { startApp, type RunningApp } from './app';
import { FarPlatform, portfolioRecords } from './far-platform';
import { GivenRecords } from './given-records';
import { platforms, portfolioOf, type Portfolio } from './portfolio';

/** A service whose customers may have platforms that are far away. */
export interface FarService {
  readonly app: RunningApp;
  readonly database: Client;
  /** A customer with the sample portfolio on both platforms, of which these are far away. */
  open(...names: readonly PlatformName[]): Promise<FarCustomer>;
  /** How long answers wait from now on. */
  waitFor(milliseconds: number): void;
  close(): Promise<void>;
}

/** A customer, and what is far away from it. */
export interface FarCustomer extends Portfolio {
  readonly far: Record<'platform_a' | 'platform_b', FarPlatform>;
  /** What became of a change by now. */
  propagation(id: string): Promise<ReturnType<typeof JSON.parse>>;
  /** Commands, in the order in which they were accepted. */
  commands(): Promise<readonly CommandRow[]>;
  /** Waits until every command is decided; their statuses then, in order. */
  decided(): Promise<string[]>;
  /** Waits until something is so. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
}

/** A command as tests look at it. */
export interface CommandRow {
  readonly id: string;
  readonly propagation_id: string;
  readonly canonical_id: string;
  readonly platform: PlatformName;
  readonly status: string;
  readonly open: boolean;
  readonly attempts: number;
  readonly looks: number;
}

/** Starts such a service, with settings that differ from the defaults, and with the console if it is given. */
export async function startFarService(
  overrides: Partial<Environment> = {},
  files?: ConsoleFiles,
): Promise<FarService> {
  const given = new GivenRecords();
  const app = await startApp(overrides, [], given, files);
  const database = new Client({ connectionString: app.databaseUrl });
  await database.connect();
  return {
    app,
    database,
    open: async (...names) => {
      const portfolio = portfolioOf(app.url, await app.openSession(), database);
      const far = {
        platform_a: new FarPlatform('platform_a', portfolioRecords('platform_a')),
        platform_b: new FarPlatform('platform_b', portfolioRecords('platform_b')),
      };
      for (const name of platforms) {
        if (names.includes(name)) given.use(portfolio.customerId, name, far[name]);
      }
      for (const platform of platforms) await portfolio.connect(platform);
      return customerOf(app, portfolio, far);
    },
    waitFor: (milliseconds) => {
      app.app.get(PropagateWait, { strict: false }).milliseconds = milliseconds;
    },
    close: async () => {
      for (const open of gates.splice(0)) open();
      await database.end();
      await app.close();
    },
  };
}

function customerOf(app: RunningApp, portfolio: Portfolio, far: FarCustomer['far']): FarCustomer {
  const commands = () =>
    portfolio.sql<CommandRow>(
      `select id, propagation_id, canonical_id, platform, status, decided_at is null as open, attempts, looks
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

const gates: (() => void)[] = [];

/** A promise, and what fulfils it; at the latest the end of the service does. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  gates.push(() => open());
  return { opened, open: () => open() };
}
