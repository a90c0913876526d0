import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@app/mapper';
import { startReceiver } from '../http/webhook-receiver';
import type { AlertCause, PrepareCause } from './alert-cause';
import { heldLock, type HeldLock } from './held-lock';
import type { WatchedInstance, WatchedService } from './watched-service';

/** A project that platform_a has and platform_b lacks. */
const PROJECT_OF_A = '341331';
const REASON = ['--reason', 'Looked after'];

/** A change of a payment that both platforms have, in the form of platform_a. */
export const note = (notes: string) => ({
  ...{ format: 'platform', platform: 'platform_a', entity_type: 'payment', platform_id: '1823456' },
  data: { notes },
});

/** The receiver of a customer's events does not answer, until the customer names another one. */
async function deadReceiver(service: WatchedService): Promise<AlertCause> {
  const customer = await service.aCustomer();
  let id = '';
  return {
    alerts: ['TranslationWebhookEndpointsFailing'],
    begin: async () => {
      await service.connect(customer, 'platform_a', 'platform_b');
      const receiver = await startReceiver();
      await receiver.close();
      const made = await service.of(customer).post('/webhook-endpoints', { url: receiver.url });
      ({ id } = made.body.data);
      await service.of(customer).post('/propagate', note('nobody hears of it'));
    },
    end: async () => {
      const receiver = await service.receiver();
      await service.of(customer).send('PATCH', `/webhook-endpoints/${id}`, { body: { url: receiver.url } });
      await receiver.until(1);
    },
  };
}

/** A platform refuses the credentials of a customer, until an operator stores the right ones. */
async function refusedSecret(service: WatchedService): Promise<AlertCause> {
  const [customer, b] = [await service.aCustomer(), await service.platformB()];
  return {
    alerts: ['TranslationAttentionNeeded'],
    begin: async () => {
      await service.goLive(customer, b, { client_secret: 'of yesterday' });
      await service.connect(customer, 'platform_b');
    },
    end: async () => {
      await service.goLive(customer, b);
      await service.connect(customer, 'platform_b');
    },
  };
}

/** The only run of a platform fails because the platform is not reachable. */
async function unreachablePlatform(service: WatchedService): Promise<AlertCause> {
  const [customer, away] = [await service.aCustomer(), await service.platformA()];
  return {
    alerts: ['TranslationPlatformUnreadable'],
    begin: async () => {
      await away.running.close();
      await service.goLive(customer, away);
      await service.connect(customer, 'platform_a');
    },
    end: async () => {
      const back = await service.platformA();
      await service.goLive(customer, back);
      await service.connect(customer, 'platform_a');
    },
  };
}

/** At the daily run, a third of the payments of a platform is missing. */
async function manyDeletions(service: WatchedService): Promise<AlertCause> {
  const [customer, b] = [await service.aCustomer(), await service.platformB()];
  const { control } = b.running;
  const held = async (): Promise<boolean> => {
    const rows = await service.stored.query(
      `select from sync_runs where customer_id = $1 and report ->> 'deletionsHeld' <> '0'`,
      [customer.customerId],
    );
    return rows.length > 0;
  };
  return {
    alerts: ['TranslationDeletionsHeld'],
    begin: async () => {
      await service.goLive(customer, b);
      await service.connect(customer, 'platform_b');
      const payments = control.records('customerPayments');
      for (const { id } of payments.slice(0, Math.ceil(payments.length / 3)))
        control.edit('remove', { table: 'customerPayments', id: id ?? null });
      while (!(await held())) {
        await service.stored.query(
          `update sync_schedules set whole_at = now() - interval '2 days', sync_due_at = now(), not_before = null
           where customer_id = $1 and sync_due_at > now()`,
          [customer.customerId],
        );
        await sleep(500);
      }
    },
    end: async () => {
      const of = ['--customer', customer.customerId, '--platform', 'platform_b'];
      await service.operate(['connections', 'sync', ...of, '--full', '--accept-deletions']);
    },
  };
}

/** A platform answers every call with "busy", and a write waits for it. */
async function busyPlatform(service: WatchedService): Promise<AlertCause> {
  const [customer, b] = [await service.aCustomer(), await service.platformB()];
  const { faults } = b.running.control;
  return {
    alerts: ['TranslationOutboxStuck'],
    begin: async () => {
      await service.goLive(customer, b);
      await service.connect(customer, 'platform_a', 'platform_b');
      faults.add({ kind: 'status', status: 503, times: 0, match: {} });
      await service.of(customer).post('/propagate', note('waits'));
    },
    end: async () => {
      faults.clear();
      const open = async (): Promise<readonly { id: string }[]> =>
        (await service.operate(['outbox', 'list', '--customer', customer.customerId])).commands;
      for (let commands = await open(); commands.length > 0; commands = await open()) {
        for (const { id } of commands) {
          // The command is refused while a call is in progress, and after the write is done.
          await service.operate(['outbox', 'retry', '--command', id, ...REASON]).catch(() => undefined);
        }
        await sleep(500);
      }
    },
  };
}

/** A record that the service created on a platform disappears before the service has read it. */
async function vanishedRecord(service: WatchedService): Promise<AlertCause> {
  const [customer, b] = [await service.aCustomer(), await service.platformB()];
  const { control } = b.running;
  return {
    alerts: ['TranslationOutboxHeld'],
    begin: async () => {
      await service.goLive(customer, b);
      await service.connect(customer, 'platform_a', 'platform_b');
      const before = new Set(control.records('projects').map(({ id }) => id));
      const isNew = ({ id }: JsonObject): boolean => !before.has(id);
      const run = (): void => {
        for (const { id } of control.records('projects').filter(isNew))
          control.edit('remove', { table: 'projects', id: id ?? null });
      };
      control.faults.add({ kind: 'run', run, after: true, match: { method: 'POST', path: '/projects' } });
      await service.of(customer).post('/propagate', {
        ...{ format: 'platform', platform: 'platform_a', entity_type: 'project', platform_id: PROJECT_OF_A },
        data: { name: 'Vanishing Tower' },
        create_missing: true,
      });
    },
    end: async () => {
      const of = ['--customer', customer.customerId, '--state', 'held'];
      const { commands } = await service.operate(['outbox', 'list', ...of]);
      for (const { id } of commands as readonly { id: string }[])
        await service.operate(['outbox', 'discard', '--command', id, ...REASON]);
    },
  };
}

/** An operator builds an index whose lock keeps comparisons from being stored. */
async function lockedComparisons(service: WatchedService): Promise<AlertCause> {
  const customer = await service.aCustomer();
  let lock: HeldLock;
  return {
    alerts: ['TranslationComparisonsBehind'],
    begin: async () => {
      await service.connect(customer, 'platform_a', 'platform_b');
      lock = await heldLock(service.databaseUrl, 'comparisons in share mode');
      await service.of(customer).post('/propagate', note('not compared'));
    },
    end: () => lock.release(),
  };
}

/** An instance with a wrong clock and a quota that is too small. An operator corrects both. */
async function wrongInstance(service: WatchedService): Promise<AlertCause> {
  const customer = await service.aCustomer();
  let instance: WatchedInstance;
  return {
    alerts: ['TranslationClockWrong', 'TranslationStorageOverQuota'],
    begin: async () => {
      instance = await service.begin({ skewMs: 5_000, env: { STORAGE_QUOTA: '1mb' } });
      await service.connect(customer, 'platform_a');
      for (let change = 0; change < 30; change += 1)
        await service
          .of(customer, instance)
          .post('/propagate', note(`${change} ${randomBytes(60_000).toString('base64')}`));
    },
    meanwhile: async () => {
      await service.of(customer, instance).post('/propagate', note('more'));
    },
    end: async () => {
      await service.replace(instance);
    },
  };
}

/** Faults that can last at the same time. */
export const lastingCauses: readonly PrepareCause[] = [
  deadReceiver,
  refusedSecret,
  unreachablePlatform,
  manyDeletions,
  busyPlatform,
  vanishedRecord,
  lockedComparisons,
  wrongInstance,
];
