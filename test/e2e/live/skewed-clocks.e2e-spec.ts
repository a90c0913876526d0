import { Pool } from 'pg';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { startApp } from '../../support/app/app';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { shortenWaits, LAST_CHECK_MS, withoutRateLimits } from '../../support/app/short-waits';
import { CampaignCustomer, type CampaignEnvironment } from '../../support/campaign/live/campaign-customer';
import { Instances } from '../../support/campaign/live/instances';
import type { Action } from '../../support/campaign/live/sequence';
import { platforms } from '../../support/customers/portfolio';
import { keysSetting, masterKey } from '../credentials/master-keys';

jest.setTimeout(180_000);

const MINUTE = 60_000;

/** Later than the first looks for a write that nobody knows of, and before the last. */
const SHOWN_LATE_MS = (LAST_CHECK_MS * 2) / 3;

/** Each creates a record on the other platform, or writes to both. */
const actions: readonly Action[] = [
  { kind: 'create', what: 'payment' },
  { kind: 'create', what: 'project' },
  { kind: 'create', what: 'customer' },
  { kind: 'create', what: 'contract of a known project' },
  { kind: 'change', what: 'payment', by: 'canonical', fields: 3 },
];

describe('instances whose clocks are not that of the database', () => {
  withoutRateLimits();
  let database: TestDatabase;
  let client: Pool;
  let environment: CampaignEnvironment & { readonly instances: Instances };
  beforeAll(async () => {
    const key = masterKey('skewed');
    database = await migratedDatabase();
    client = new Pool({ connectionString: database.url, max: 2 });
    const office = await startApp({
      databaseUrl: database.url,
      credentialsKeys: [key],
      syncIntervalMs: 0,
      logLevel: 'error',
    });
    shortenWaits(office.app);
    // Changes are sent by the instances whose clocks are wrong.
    await office.app.get(Dispatcher, { strict: false }).beforeApplicationShutdown();
    const env = { CREDENTIALS_KEYS: keysSetting(key), SYNC_INTERVAL: '0', PROPAGATE_WAIT: '0' };
    const instances = await Instances.start(0, database.url, client, env);
    environment = { office, database: client, instances };
  });
  afterAll(async () => {
    await environment.instances.close();
    await environment.office.close();
    await client.end();
    await database.drop();
  });

  // In this order two processes do for all three.
  it.each([
    ['behind', [-10 * MINUTE]],
    ['behind and ahead', [-10 * MINUTE, 10 * MINUTE]],
    ['ahead', [10 * MINUTE]],
  ])(
    'by ten minutes (%s) create nothing twice when an answer is lost and the record is shown late',
    async (_name, skews) => {
      await environment.instances.have(skews);
      const customer = await CampaignCustomer.open(environment, { seed: 1, customPayments: true });
      try {
        for (const platform of platforms) await customer.connect(platform);
        customer.a.control.switches.set('readLagMs', SHOWN_LATE_MS);
        customer.b.control.switches.set('readLagMs', SHOWN_LATE_MS);
        for (const platform of [customer.a, customer.b]) {
          // Each call that creates is done, and its answer is lost; the control port and tokens are elsewhere.
          platform.control.faults.add({
            kind: 'reset_after',
            match: { method: 'POST', path: '^/rest/|/companies\\(' },
            times: 4,
          });
        }
        for (const [place, action] of actions.entries()) await customer.act(action, place + 1);
        await customer.settled();
        for (const platform of platforms) {
          expect({ platform, repeated: customer.witnesses[platform].repeated() }).toEqual({
            platform,
            repeated: [],
          });
        }
        const { rows } = await client.query<{ status: string; count: number }>(
          `select status, count(*)::int as count from outbox_commands
         where customer_id = $1 and platform_id is null and base is null group by status`,
          [customer.customerId],
        );
        expect(rows).toEqual([{ status: 'applied', count: expect.any(Number) }]);
      } finally {
        await customer.close();
      }
    },
  );
});
