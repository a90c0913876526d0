import { Test } from '@nestjs/testing';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { ModuleMetadata } from '@nestjs/common';
import type { AddressInfo } from 'node:net';
import { AppModule } from '../../../src/app.module';
import type { KeyMode } from '../../../src/auth/keys/api-key';
import type { Permission } from '../../../src/auth/keys/permissions';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { CustomersService } from '../../../src/auth/customers/customers.service';
import type { ConsoleFiles } from '../../../src/console/console-files';
import { readEnvironment, type Environment } from '../../../src/runtime/config/environment';
import { APP_OPTIONS, configureApp } from '../../../src/runtime/start/configure-app';
import { LIVE_CONNECTORS, type LiveConnectors } from '../../../src/platforms/live/live-connectors';
import { Connectors } from '../../../src/platforms/connectors';
import { SandboxConnector } from '../../../src/platforms/sandbox/sandbox.connector';
import { DemoService } from '../../../src/demo/demo.service';
import { ServiceAdapter } from '../../../src/common/server/service.adapter';
import { createLogger } from '../../../src/runtime/logging/logger';
import { NestLogger } from '../../../src/runtime/logging/nest-logger';
import { migratedDatabase } from '../database/database';
import type { GivenRecords } from '../platforms/given-records';

/** A key and its customer. */
export interface Caller {
  readonly key: string;
  readonly customerId: string;
}

/** The real service, on a free port and a database of its own. */
export interface RunningApp {
  /** Without a path: `http://127.0.0.1:54321`. */
  readonly url: string;
  readonly databaseUrl: string;
  readonly app: NestExpressApplication;
  /** The log so far, line by line. */
  readonly log: readonly Record<string, unknown>[];
  /** Opens a demo session that does not count against the limit of the route. */
  openSession(): Promise<Caller>;
  /** Creates a customer of the operator with a key. Without `permissions` the key has all default permissions. */
  issueKey(mode: Exclude<KeyMode, 'demo'>, permissions?: readonly Permission[]): Promise<Caller>;
  close(): Promise<void>;
}

/**
 * Starts the service as `main.ts` does, on a free port and a new migrated database.
 *
 * @param overrides settings that differ from the defaults. With a `databaseUrl` no database is created.
 * @param imports modules that a test adds, such as a controller that probes the request pipeline
 * @param given connectors that replace the sandbox
 * @param files the console; without them no console is served
 */
export async function startApp(
  overrides: Partial<Environment> = {},
  imports: NonNullable<ModuleMetadata['imports']> = [],
  given?: GivenRecords,
  files?: ConsoleFiles,
): Promise<RunningApp> {
  const database = overrides.databaseUrl === undefined ? await migratedDatabase() : undefined;
  const databaseUrl = overrides.databaseUrl ?? database?.url ?? '';
  const environment = { ...readEnvironment({}), port: 0, ...overrides, databaseUrl };
  const log: Record<string, unknown>[] = [];
  const logger = createLogger(environment.logLevel, {
    write: (line) => void log.push(JSON.parse(line) as Record<string, unknown>),
  });

  const builder = Test.createTestingModule({ imports: [AppModule.forRoot(environment, logger), ...imports] });
  if (given !== undefined) {
    builder.overrideProvider(Connectors).useFactory({
      factory: (sandbox: SandboxConnector, live: LiveConnectors) => given.over(sandbox, live),
      inject: [SandboxConnector, LIVE_CONNECTORS],
    });
  }
  const module = await builder.compile();
  const app = module.createNestApplication<NestExpressApplication>(new ServiceAdapter(), {
    ...APP_OPTIONS,
    logger: new NestLogger(logger),
  });
  configureApp(app, environment, logger, files);
  await app.listen(environment.port, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    databaseUrl,
    app,
    log,
    openSession: async () => {
      const session = await app.get(DemoService, { strict: false }).open();
      return { key: session.api_key, customerId: session.customer_id };
    },
    issueKey: async (mode, permissions) => {
      const { id } = await app.get(CustomersService, { strict: false }).create('A customer');
      const { key } = await app.get(ApiKeysService, { strict: false }).issue(id, mode, { permissions });
      return { key, customerId: id };
    },
    close: async () => {
      app.getHttpServer().closeAllConnections();
      await app.close();
      await database?.drop();
      refuseKeysIn(log);
    },
  };
}

/** Fails if the log contains a key, whatever the test did. */
function refuseKeysIn(log: readonly Record<string, unknown>[]): void {
  const leaking = log.filter((line) => /sk_(demo|test|live)_[A-Za-z0-9]{16}/.test(JSON.stringify(line)));
  if (leaking.length > 0)
    throw new Error(`Keys were logged: ${leaking.map(({ msg }) => String(msg)).join('; ')}`);
}
