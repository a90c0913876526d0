import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(60_000);

type Body = ReturnType<typeof JSON.parse>;

const [a, b] = ['platform_a', 'platform_b'] as const;

const contract = (currency: unknown) =>
  record(
    'contract',
    {
      id: 1,
      number: 'C-1',
      grand_total: '500.00',
      currency_configuration: { currency_iso_code: currency },
    },
    'WorkOrderContract',
  );
const payment = (more: object = {}) =>
  record('payment', { id: 7, check_number: 'K-7', contract_id: 1, amount: '100.00', ...more });
const twin = record('payment', {
  id: 'k7',
  externalDocumentNumber: 'K-7',
  amount: -100,
  currencyCode: 'USD',
});
const usd = (amount: number) => ({ amount, currency: 'USD' });

describe('an amount in a currency that cannot be read', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => (service = await startApp({ logLevel: 'error' }, [], sources)));
  afterAll(() => service.close());

  async function open(onA: readonly ReturnType<typeof record>[], onB: readonly ReturnType<typeof record>[]) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (now: typeof onA) => {
      sources.give(customerId, a, now);
      sources.give(customerId, b, onB);
      for (const platform of [a, b]) await connect(client, platform);
    };
    await read(onA);
    const payments = async (more = ''): Promise<Body> =>
      (await client.get(`/reconciliation?entity_type=payment${more}`)).body.data.types[0];
    const cases = async (): Promise<Body> =>
      (await client.get('/reconciliation/cases?entity_type=payment')).body.data;
    return { client, read, payments, cases };
  }

  it.each([
    ['a code that does not exist', [contract('XQQ'), payment()]],
    ['something that is no code', [contract('dollars'), payment()]],
    ['a number', [contract(840), payment()]],
    [
      'one of the project that the contract takes after',
      [
        record('project', {
          id: 5,
          project_number: 'P-5',
          currency_configuration: { currency_iso_code: 'XQQ' },
        }),
        record(
          'contract',
          { id: 1, number: 'C-1', grand_total: '500.00', project: { id: 5 } },
          'WorkOrderContract',
        ),
        payment(),
      ],
    ],
    [
      'one of its own project',
      [
        record('project', {
          id: 5,
          project_number: 'P-5',
          currency_configuration: { currency_iso_code: 'XQQ' },
        }),
        payment({ contract_id: undefined, project_id: 5 }),
      ],
    ],
  ])('of its contract, %s: is in no sum and cannot be compared, and says so', async (_what, records) => {
    const { payments, cases } = await open(
      records.map((one) => ({ ...one, payload: JSON.parse(JSON.stringify(one.payload)) })),
      [twin],
    );
    const { counts, totals } = await payments();
    expect(counts).toMatchObject({ agree: 0, disagree: 1 });
    expect(totals.from).toMatchObject({ records: 1, summed: 0, without_amount: 1, sum: usd(0) });
    expect(totals.to).toMatchObject({ records: 1, summed: 1, without_amount: 0, sum: usd(10_000) });
    expect(totals.lines.filter(({ objects }: Body) => objects > 0)).toEqual([
      { cause: 'not_comparable', objects: 1, amount: usd(10_000), accepted: { objects: 0, amount: usd(0) } },
    ]);
    const found = await cases();
    expect(found.map(({ kind, platform, difference }: Body) => [kind, platform, difference?.amount])).toEqual(
      expect.arrayContaining([
        ['not_comparable', a, 10_000],
        ['unreadable', a, undefined],
      ]),
    );
    const compared = found.find(({ kind }: Body) => kind === 'not_comparable');
    expect(compared.problem).toContain('in a currency that is not known');
  });

  it('is read again as soon as the contract says one, and was not before', async () => {
    const { payments, read, client } = await open([contract('XQQ'), payment()], [twin]);
    const then = (await client.get('/reconciliation')).body.data.as_of;
    await read([contract('QAR'), payment()]);
    const { totals } = await payments();
    expect(totals.from).toMatchObject({ summed: 1, without_amount: 0, sum: usd(2747) });
    const past = await payments(`&as_of=${then}`);
    expect(past.totals.from).toMatchObject({ summed: 0, without_amount: 1, sum: usd(0) });
  });

  it('is not written at face value either', async () => {
    const { client } = await open([contract('XQQ'), payment()], [twin]);
    const answer = await client.post('/propagate', {
      format: 'platform',
      platform: b,
      platform_id: 'k7',
      entity_type: 'payment',
      data: { amount: -90 },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.error.message).toContain('no currency that is known');
  });
});
