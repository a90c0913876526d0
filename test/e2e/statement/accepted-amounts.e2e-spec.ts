import { ExchangeRatesService } from '../../../src/terms/rates/exchange-rates.service';
import { RatesModule } from '../../../src/terms/rates/rates.module';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';

jest.setTimeout(90_000);

const [a, b] = ['platform_a', 'platform_b'] as const;

type Body = ReturnType<typeof JSON.parse>;

describe('Accepted differences of amounts that have nothing to be compared with', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [RatesModule], sources);
  });
  afterAll(() => service.close());

  /** A payment without an amount on platform_a, and one whose currency on platform_b has no rate. */
  async function openBooks() {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const readA = async (notes: string): Promise<void> => {
      sources.give(customerId, a, [
        record('payment', { id: 1, check_number: 'CHK-1', notes }),
        record('payment', { id: 2, check_number: 'CHK-2', amount: '20.00', notes }),
      ]);
      await connect(client, a);
    };
    await readA('As agreed');
    sources.give(customerId, b, [
      record('payment', { id: 'b1', externalDocumentNumber: 'CHK-1', amount: -30, currencyCode: 'QAR' }),
      record('payment', { id: 'b2', externalDocumentNumber: 'CHK-2', amount: -3000, currencyCode: 'JPY' }),
    ]);
    await connect(client, b);
    const get = async (path: string): Promise<Body> => {
      const { status, body } = await client.get(`/reconciliation${path}`);
      expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
      return body.data;
    };
    const cases = (state: string): Promise<Body[]> => get(`/cases?entity_type=payment&state=${state}`);
    const accept = async (test: (one: Body) => boolean): Promise<void> => {
      const [{ id }] = (await cases('open')).filter(test);
      const accepted = { reason: 'Known', decided_by: 'Ada' };
      const { status } = await client.send('PATCH', `/reconciliation/cases/${id}`, { body: { accepted } });
      expect(status).toBe(200);
    };
    const statement = (query = ''): Promise<Body> => get(`?entity_type=payment&currency=USD${query}`);
    return { customerId, readA, cases, accept, statement };
  }

  const acceptedOf = ({ types: [{ counts, totals }] }: Body): object => ({
    objects: counts.accepted,
    lines: totals.lines
      .filter(({ accepted }: Body) => accepted.objects > 0)
      .map(({ cause, accepted }: Body) => [cause, accepted.objects, accepted.amount.amount]),
  });

  it('are the same as of a time at which no refresh had followed a change of their records', async () => {
    const { readA, accept, statement } = await openBooks();
    await accept(({ kind }) => kind === 'unreadable');
    // Its object has another case, of the amount without a rate.
    await accept(
      ({ kind, field, platform }) => kind === 'not_comparable' && field === 'amount' && platform === null,
    );
    const before = await statement();
    expect(acceptedOf(before)).toEqual({
      objects: 0,
      lines: [
        ['no_amount', 1, 824],
        ['not_comparable', 1, -2000],
      ],
    });
    await readA('As agreed by telephone');
    const asOf = new Date().toISOString();
    const then = await statement(`&as_of=${asOf}`);
    expect(acceptedOf(then)).toEqual(acceptedOf(before));
    expect(then.digest).toBe((await statement()).digest);
  });

  it('stay accepted, with another amount, when a rate changes', async () => {
    const { customerId, cases, accept, statement } = await openBooks();
    await accept(({ kind }) => kind === 'unreadable');
    expect(acceptedOf(await statement())).toEqual({ objects: 0, lines: [['no_amount', 1, 824]] });
    const rates = service.app.get(ExchangeRatesService, { strict: false });
    await rates.set(customerId, { from: 'QAR', to: 'USD', rate: '0.2' });
    const after = await statement();
    expect(acceptedOf(after)).toEqual({ objects: 0, lines: [['no_amount', 1, 600]] });
    expect(await cases('accepted')).toEqual([
      expect.objectContaining({ difference: { amount: 600, currency: 'USD' } }),
    ]);
    expect(await statement(`&as_of=${after.as_of}`)).toEqual(after);
  });

  it('are accepted with the case that states their line, which depends on the currency of the statement', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    const rates = service.app.get(ExchangeRatesService, { strict: false });
    await rates.set(customerId, { from: 'JPY', to: 'AED', rate: '0.025' });
    const readA = async (notes: string): Promise<void> => {
      sources.give(customerId, a, [
        record('project', { id: 5, currency_configuration: { currency_iso_code: 'AED' } }),
        record('payment', { id: 1, check_number: 'CHK-1', amount: '36.73', project_id: 5, notes }),
      ]);
      await connect(client, a);
    };
    await readA('As agreed');
    sources.give(customerId, b, [
      record('payment', { id: 'b1', externalDocumentNumber: 'CHK-1', amount: -3000, currencyCode: 'JPY' }),
    ]);
    await connect(client, b);
    const get = async (path: string): Promise<Body> => (await client.get(`/reconciliation${path}`)).body.data;
    const accept = async (kind: string): Promise<void> => {
      const cases: Body[] = await get('/cases?entity_type=payment');
      const { id } = cases.find((one) => one.kind === kind && one.platform === null);
      const accepted = { reason: 'Known', decided_by: 'Ada' };
      const { status } = await client.send('PATCH', `/reconciliation/cases/${id}`, { body: { accepted } });
      expect(status).toBe(200);
    };
    const expectAccepted = async (currency: string, lines: unknown): Promise<void> => {
      const query = `?entity_type=payment&currency=${currency}`;
      expect(acceptedOf(await get(query))).toEqual({ objects: 0, lines });
      await readA(`Read after ${currency} ${JSON.stringify(lines)}`);
      const then = await get(`${query}&as_of=${new Date().toISOString()}`);
      expect(acceptedOf(then)).toEqual({ objects: 0, lines });
    };
    const cases: Body[] = await get('/cases?entity_type=payment');
    expect(
      cases.map(({ kind, platform, difference }) => [kind, platform, difference?.amount]).sort(),
    ).toEqual(
      [
        ['disagreement', null, undefined],
        ['not_comparable', b, undefined],
        ['not_comparable', null, -1000],
      ].sort(),
    );
    await accept('disagreement');
    await expectAccepted('USD', []);
    await expectAccepted('AED', [['amounts_disagree', 1, 3827]]);
    await accept('not_comparable');
    await expectAccepted('USD', [['not_comparable', 1, -1000]]);
  });
});
