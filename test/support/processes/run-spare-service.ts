// A service in a process of its own that works with simulated platforms. It does all that comes before it listens, says `ready`,
// and waits for a word on its standard input; then it serves, at PORT, until it is killed.
import 'reflect-metadata';
import { once } from 'node:events';
import { readEnvironment } from '../../../src/runtime/config/environment';
import { createLogger } from '../../../src/runtime/logging/logger';
import { createApp } from '../../../src/runtime/start/configure-app';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { DeliveryTimes } from '../../../src/webhook-endpoints/delivery/delivery-times';
import { WebhookTimes } from '../../../src/webhooks/webhook-times';
import { shortenWaits, liftRateLimits } from '../app/short-waits';

liftRateLimits();

void (async () => {
  const environment = readEnvironment(process.env);
  const app = await createApp(environment, createLogger(environment.logLevel));
  shortenWaits(app);
  Object.assign(app.get(DeliveryTimes, { strict: false }), { poll: 100 });
  Object.assign(app.get(SyncTimes, { strict: false }), { schedule: 100, reaper: 200 });
  Object.assign(app.get(WebhookTimes, { strict: false }), { poll: 200 });
  process.stdout.write('ready\n');
  process.stdin.ref();
  await once(process.stdin, 'data');
  process.stdin.unref();
  await app.listen(environment.port, '127.0.0.1');
  process.stdout.write(`http://127.0.0.1:${environment.port}\n`);
})();
