import { Client } from 'pg';
import { startPlatformB, type RunningPlatformB } from '@app/simulators';
import { fc, randomCases } from '../../../libs/mapper/src/testing/property';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { startApp, type RunningApp } from '../../support/app/app';
import { shortenWaits, withoutRateLimits } from '../../support/app/short-waits';
import { settingsOf } from '../../support/live/live-platform-b';
import { platforms, portfolioOf, type Listed, type Portfolio } from '../../support/customers/portfolio';
import { masterKey } from '../credentials/master-keys';

jest.setTimeout(120_000);

type Body = ReturnType<typeof JSON.parse>;

/** Columns of customers that no canonical field has. */
const fields = {
  salesperson: {
    codec: 'text',
    platforms: {
      platform_a: { path: 'salesperson', writable: true },
      platform_b: { path: 'salespersonCode', writable: true },
    },
  },
  taxable: { codec: 'boolean', platforms: { platform_b: { path: 'taxLiable', writable: true } } },
};

describe('fields of one’s own in columns of a live platform_b', () => {
  withoutRateLimits();
  let service: RunningApp;
  let database: Client;
  let erp: RunningPlatformB;
  let customer: Portfolio;
  let known: readonly Listed[];
  /** Those that the ERP knows. It takes no other. */
  let salespersons: readonly string[];
  beforeAll(async () => {
    service = await startApp({ credentialsKeys: [masterKey('first')] });
    shortenWaits(service.app);
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    erp = await startPlatformB();
    const codes = erp.control.records('customers').map((row: Body): string => row.salespersonCode);
    salespersons = [...new Set(codes)].filter((code) => code !== '');
    customer = portfolioOf(service.url, await service.issueKey('live'), database);
    const { settings, secret } = settingsOf(erp, {});
    await service.app
      .get(CredentialsService, { strict: false })
      .set(customer.customerId, 'platform_b', settings, new Secrets({ client_secret: secret }));
    for (const platform of platforms) await customer.connect(platform);
    for (const [name, body] of Object.entries(fields)) {
      expect((await customer.client.send('PUT', `/fields/customer/${name}`, { body })).status).toBe(200);
    }
    while (!(await listed()).every(({ status }) => status === 'ready'));
    known = (await customer.list('platform_b', 'customer')).filter(({ mappings }) => mappings.length === 2);
    expect(known.length).toBeGreaterThan(1);
  });
  afterAll(async () => {
    await database.end();
    await service.close();
    await erp.close();
  });

  const listed = async (): Promise<readonly { status: string }[]> =>
    (await customer.client.get('/fields')).body.data;
  const columnsOf = (id: string): Body => erp.control.records('customers').find((row) => row['id'] === id);
  const objectOf = async ({ canonical_id: id }: Listed): Promise<Body> =>
    (await customer.client.get(`/objects/${id}`)).body.data;

  /** What became of a change on each platform; nothing where it changes nothing. */
  async function changed(target: Listed, custom: object): Promise<readonly string[]> {
    const answer = await customer.canonical('customer', target.canonical_id, { custom });
    expect(answer.status).toBe(200);
    const id: string | undefined = answer.body.data.propagation_id;
    while (id !== undefined) {
      service.app.get(Dispatcher, { strict: false }).wake();
      const { body } = await customer.client.get(`/propagations/${id}`);
      const states = Object.values<{ status: string }>(body.data.propagated).map(({ status }) => status);
      if (states.every((state) => !['pending', 'uncertain'].includes(state))) return states;
    }
    return [];
  }

  it('are written to any customer, and shown as they stand there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.boolean(), async (which, person, taxable) => {
        const target = known[which % known.length];
        if (target === undefined) throw new Error('There are customers');
        const salesperson = salespersons[person % salespersons.length];
        const outcomes = await changed(target, { salesperson, taxable });
        expect(outcomes).not.toContain('rejected');
        expect(columnsOf(target.id)).toMatchObject({ salespersonCode: salesperson, taxLiable: taxable });
        const { data, records, disagreements } = await objectOf(target);
        expect(data.custom).toEqual({ salesperson, taxable });
        const onA = records.find(({ platform }: Body) => platform === 'platform_a');
        // What the object had already is not written to a record that lacks it.
        expect([undefined, salesperson]).toContain(onA.platform_data.salesperson);
        expect(disagreements.filter(({ field }: Body) => field.startsWith('custom.'))).toEqual([]);
      }),
      { numRuns: randomCases(5), endOnFailure: true },
    );
  });

  it('are read when a user of the ERP changes them, and a case says that the platforms differ', async () => {
    const [target] = known;
    if (target === undefined) throw new Error('There are customers');
    const [mine, theirs] = salespersons;
    if (mine === undefined || theirs === undefined) throw new Error('There are salespersons');
    await changed(target, { salesperson: mine });
    erp.control.edit('update', {
      table: 'customers',
      id: target.id,
      fields: { salespersonCode: theirs },
    });
    await customer.connect('platform_b');
    const { data, disagreements } = await objectOf(target);
    expect(data.custom.salesperson).toBe(mine);
    expect(disagreements).toContainEqual(
      expect.objectContaining({
        field: 'custom.salesperson',
        values: {
          platform_a: { canonical: mine, native: mine },
          platform_b: { canonical: theirs, native: theirs },
        },
        stands: 'platform_a',
      }),
    );
    const cases = async (): Promise<readonly Body[]> =>
      (await customer.client.get('/reconciliation/cases?kind=disagreement&field=custom.salesperson')).body
        .data;
    while ((await cases()).length === 0);
    expect((await cases()).map(({ canonical_id: id }) => id)).toEqual([target.canonical_id]);
  });
});
