import { setTimeout as sleep } from 'node:timers/promises';
import type { AlertCause, PrepareCause } from './alert-cause';
import { heldLock } from './held-lock';
import type { WatchedCustomer, WatchedService } from './watched-service';

/** Milliseconds for which a lock blocks each statement that needs the table. */
const LOCKED_MS = 1_000;

/** Repeats work until the signal aborts. */
function repeated(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const again = async (): Promise<void> => {
    while (!signal.aborted) await work().catch(() => undefined);
  };
  return again();
}

/** An instance gets no processor time for most of each second. */
function stalledProcess(service: WatchedService): AlertCause {
  const { pid } = service.first;
  const stop = new AbortController();
  let stalling: Promise<void> = Promise.resolve();
  return {
    alerts: ['TranslationEventLoopLag'],
    begin: () => {
      stalling = repeated(async () => {
        process.kill(pid, 'SIGSTOP');
        await sleep(400);
        process.kill(pid, 'SIGCONT');
        await sleep(200);
      }, stop.signal);
      return Promise.resolve();
    },
    end: async () => {
      stop.abort();
      await stalling;
    },
  };
}

/** Each statement that reads records takes a second, while many customers send reads. */
async function slowDatabase(service: WatchedService): Promise<AlertCause> {
  const stop = new AbortController();
  const working: Promise<void>[] = [];
  const until = (work: () => Promise<unknown>): Promise<void> => repeated(work, stop.signal);
  const customers: WatchedCustomer[] = [];
  for (let customer = 0; customer < 8; customer += 1) customers.push(await service.aCustomer());
  return {
    alerts: ['TranslationPoolExhausted'],
    begin: async () => {
      for (const customer of customers) {
        await service.connect(customer, 'platform_a');
        for (let client = 0; client < 6; client += 1)
          working.push(
            until(() => service.of(customer).get('/objects?platform=platform_a&entity_type=payment')),
          );
      }
      working.push(
        until(async () => {
          const lock = await heldLock(service.databaseUrl, 'platform_records in access exclusive mode');
          await sleep(LOCKED_MS);
          await lock.release();
        }),
      );
    },
    end: async () => {
      stop.abort();
      await Promise.all(working);
    },
  };
}

/** The database is stopped while clients continue to send requests. */
function stoppedDatabase(service: WatchedService): AlertCause {
  return {
    alerts: ['TranslationDatabaseDown', 'TranslationServerErrors'],
    begin: () => service.proxy.stop(),
    end: () => service.proxy.restore(),
  };
}

/** All instances are stopped, and one starts again. */
function noInstance(service: WatchedService): AlertCause {
  return {
    alerts: ['TranslationMissing'],
    begin: () => service.endAll(),
    end: async () => {
      await service.begin();
    },
  };
}

/** Faults that disturb the other ones, so each occurs alone. */
export const shortCauses: readonly PrepareCause[] = [
  stalledProcess,
  slowDatabase,
  stoppedDatabase,
  noInstance,
];
