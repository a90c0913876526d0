import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(60_000);

type Body = ReturnType<typeof JSON.parse>;
type Given = ReturnType<typeof record>;

const [a, b] = ['platform_a', 'platform_b'] as const;

const contract = (currency: string): Given =>
  record(
    'contract',
    { id: 1, number: 'C-1', grand_total: '500.00', currency_configuration: { currency_iso_code: currency } },
    'WorkOrderContract',
  );
const onA = (amount: string, more: object = {}): Given =>
  record('payment', { id: 7, check_number: 'K-7', amount, ...more });
const onB = (amount: number, key: string): Given =>
  record('payment', { id: 'k7', externalDocumentNumber: key, amount, currencyCode: 'USD' });

describe('the age of a case at a time between a change and its refresh', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => (service = await startApp({ logLevel: 'error' }, [], sources)));
  afterAll(() => service.close());

  async function open(first: readonly Given[], second: readonly Given[]) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const read = async (platform: typeof a | typeof b, records: readonly Given[]): Promise<void> => {
      sources.give(customerId, platform, records);
      await connect(client, platform);
    };
    await read(a, first);
    await read(b, second);
    await client.get('/reconciliation');
    const openedAt = async (asOf: string, platform?: string): Promise<string> => {
      const { status, body } = await client.get(
        `/reconciliation/cases?entity_type=payment&as_of=${asOf}${platform === undefined ? '' : `&platform=${platform}`}`,
      );
      expect({ status, cases: body.data?.length }).toEqual({ status: 200, cases: 1 });
      return body.data.map(({ opened_at: at }: Body) => at)[0];
    };
    return { client, read, openedAt };
  }

  it('is the same after the contract of the record has got another currency', async () => {
    const { read, openedAt } = await open(
      [contract('USD'), onA('100.00', { contract_id: 1 })],
      [onB(-100, 'K-7')],
    );
    await read(a, [contract('USD'), onA('120.00', { contract_id: 1 })]);
    const then = new Date().toISOString();
    const opened = await openedAt(then);
    await read(a, [contract('AED'), onA('120.00', { contract_id: 1 })]);
    expect(await openedAt(then)).toBe(opened);
  });

  it('is the same after a person has linked the record', async () => {
    const { client, read, openedAt } = await open([onA('100.00')], [onB(-100, 'K-8')]);
    await read(b, [onB(-120, 'K-8')]);
    const then = new Date().toISOString();
    const opened = await openedAt(then, b);
    const linked = await client.post('/reconciliation/decisions', {
      decision: 'link',
      entity_type: 'payment',
      records: [
        { platform: a, platform_id: '7' },
        { platform: b, platform_id: 'k7' },
      ],
      reason: 'Seen',
      decided_by: 'Ada',
    });
    expect(linked.status).toBe(200);
    expect(await openedAt(then, b)).toBe(opened);
  });
});
