// A service in a process of its own that works with simulated platforms, and serves until it is killed. It says whose leases
// are its own, and then its address.
import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { storedEntityTypes } from '@app/mapper';
import { readEnvironment } from '../../../src/runtime/config/environment';
import { PAGE_SIZES } from '../../../src/platforms/platform_b/reading/page-sizes';
import { createLogger } from '../../../src/runtime/logging/logger';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { createApp } from '../../../src/runtime/start/configure-app';
import { shortenWaits, liftRateLimits } from '../app/short-waits';

liftRateLimits();
// Small pages, for readings that are to have many.
const size = Number(process.env['PAGE_SIZE_OF_B'] ?? 0);
if (size > 0) for (const entityType of storedEntityTypes) Object.assign(PAGE_SIZES, { [entityType]: size });

void (async () => {
  const environment = readEnvironment(process.env);
  const app = await createApp(environment, createLogger(environment.logLevel));
  shortenWaits(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo; // A TCP server that listens has one.
  process.stdout.write(`owner ${app.get(Dispatcher, { strict: false }).owners.instance}\n`);
  process.stdout.write(`http://127.0.0.1:${port}\n`);
})();
