import { parseJsonText, type JsonObject } from '@app/mapper';
import type { SourceRecord } from '../../../src/platforms/connector';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect, listed, listing } from '../../support/customers/listings';

describe('a record with unreadable fields', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({}, [], sources);
  });
  afterAll(() => service.close());

  async function brought(platform: 'platform_a' | 'platform_b', ...records: readonly SourceRecord[]) {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, platform, records);
    return { client, counts: await connect(client, platform) };
  }

  it.each<[string, unknown]>([
    ['more decimals than USD has', '12.345'],
    ['an exponent', '1e3'],
    ['separators', '1,000.00'],
    ['a currency sign', '$5'],
    ['no number at all', 'n/a'],
    ['an empty text', ''],
    ['more than 2^53-1 minor units', '90071992547409.92'],
    ['a JSON number where text is due', 12.5],
    ['a truth value', true],
    ['an object', { amount: '12.50' }],
    ['a list', ['12.50']],
  ])('keeps an amount with %s raw only', async (_, amount) => {
    const good = record('payment', { id: 2, amount: '19.99', check_number: 'CHK-2' });
    const { client, counts } = await brought(
      'platform_a',
      record('payment', { id: 1, amount, check_number: 'CHK-1', notes: 'the rest', status: 'paid' }),
      good,
    );
    expect(counts).toMatchObject({ payments: 2 });
    const { data, platform_data } = await listed(client, 'platform_a', 'payment', '1');
    expect(data).not.toHaveProperty('amount');
    expect(data).toMatchObject({
      check_number: 'CHK-1',
      notes: 'the rest',
      status: 'paid',
      invoice_number: null,
    });
    expect(platform_data).toEqual({
      id: 1,
      amount,
      check_number: 'CHK-1',
      notes: 'the rest',
      status: 'paid',
    });
    expect((await listed(client, 'platform_a', 'payment', '2')).data.amount).toEqual({
      amount: 1999,
      currency: 'USD',
    });
  });

  it.each<[string, number]>([
    ['0.01', 1],
    ['19.99', 1999],
    ['90071992547409.91', Number.MAX_SAFE_INTEGER],
    ['-5', -500],
    ['1700000.00', 170_000_000],
    ['7.500', 750],
  ])('reads the amount %s', async (amount, minorUnits) => {
    const { client } = await brought('platform_a', record('payment', { id: 1, amount }));
    expect((await listed(client, 'platform_a', 'payment', '1')).data.amount).toEqual({
      amount: minorUnits,
      currency: 'USD',
    });
  });

  it('leaves out amounts in a currency that does not exist', async () => {
    const { client } = await brought(
      'platform_b',
      record('payment', { id: 'b1', amount: -100, currencyCode: 'XQZ', externalDocumentNumber: 'CHK-1' }),
      record('payment', { id: 'b2', amount: -100, currencyCode: ' kwd ', externalDocumentNumber: 'CHK-2' }),
      record('payment', { id: 'b3', amount: -100, currencyCode: 7, externalDocumentNumber: 'CHK-3' }),
      record('invoice', {
        id: 'i1',
        totalAmountIncludingTax: 5,
        currencyCode: 'XQZ',
        externalDocumentNumber: 'INV-1',
      }),
    );
    const [unknown, kwd, number] = await listing(client, 'platform_b', 'payment');
    expect(unknown?.data).not.toHaveProperty('amount');
    expect(unknown?.data.check_number).toBe('CHK-1');
    expect(unknown?.platform_data.currencyCode).toBe('XQZ');
    expect(kwd?.data.amount).toEqual({ amount: 100_000, currency: 'KWD' });
    expect(number?.data).not.toHaveProperty('amount');
    const [invoice] = await listing(client, 'platform_b', 'invoice');
    expect(invoice?.data).not.toHaveProperty('amount');
    expect(invoice?.data).not.toHaveProperty('currency');
    expect(invoice?.data.number).toBe('INV-1');
  });

  it('keeps the fields of other types raw only, each by itself', async () => {
    const payload = {
      id: 1,
      check_number: 42,
      status: ['paid'],
      date: '2026-02-30',
      notes: 'readable',
      invoice_number: { number: 'INV-1' },
      requisition_id: 1.5,
      created_at: 'yesterday',
    };
    const { client } = await brought('platform_a', record('payment', payload));
    const { data, platform_data } = await listed(client, 'platform_a', 'payment', '1');
    expect(platform_data).toEqual(payload);
    expect(data.notes).toBe('readable');
    // These three are promised of every stored payment.
    expect(data).toMatchObject({ check_number: null, status: null, invoice_number: null });
    for (const field of ['date', 'invoice_id', 'created_at']) expect(data[field] ?? null).toBeNull();
  });

  it('has no key if the key cannot be read, so it links with no record', async () => {
    const { key, customerId } = await service.openSession();
    const client = api(service.url, key);
    sources.give(customerId, 'platform_a', [record('payment', { id: 1, check_number: 42 })]);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: 'b1', externalDocumentNumber: 42 }),
      record('payment', { id: 'b2', externalDocumentNumber: '42' }),
    ]);
    await connect(client, 'platform_a');
    await connect(client, 'platform_b');
    for (const platform of ['platform_a', 'platform_b'] as const) {
      for (const { mappings } of await listing(client, platform, 'payment')) expect(mappings).toHaveLength(1);
    }
  });

  it.each([
    ['an ID beyond 2^53-1', '{"id":9007199254740993,"check_number":"CHK-1"}'],
    ['a fraction for an ID', '{"id":1.5,"check_number":"CHK-1"}'],
    ['no ID', '{"check_number":"CHK-1"}'],
    ['null for an ID', '{"id":null,"check_number":"CHK-1"}'],
    ['an object for an ID', '{"id":{"value":1},"check_number":"CHK-1"}'],
    ['an ID that no database can hold', '{"id":"a\\u0000b","check_number":"CHK-1"}'],
    ['an ID with half of a surrogate pair', '{"id":"\\ud800","check_number":"CHK-1"}'],
    ['an ID longer than an index takes', JSON.stringify({ id: longText(4_000), check_number: 'CHK-1' })],
  ])('is left out when it has %s, and the others are stored', async (_, text) => {
    const unfit = parseJsonText(text) as JsonObject;
    const { client, counts } = await brought(
      'platform_a',
      record('payment', unfit),
      record('payment', { id: Number.MAX_SAFE_INTEGER, check_number: 'CHK-2' }),
    );
    expect(counts).toMatchObject({ payments: 1 });
    expect((await listing(client, 'platform_a', 'payment')).map(({ id }) => id)).toEqual([
      '9007199254740991',
    ]);
    expect(
      service.log.filter(({ msg, without_id: count }) => msg === 'connected' && count === 1),
    ).not.toEqual([]);
  });

  it('may have long texts as keys, references and currencies', async () => {
    const text = longText(10_000);
    const { client } = await brought(
      'platform_a',
      record('project', { id: 1, project_number: text, name: text }),
      record('payment', {
        id: 1,
        check_number: text,
        requisition_id: text,
        invoice_number: text,
        contract_id: text,
      }),
      record('customer', { id: 1, name: text }),
      record(
        'contract',
        { id: 1, number: text, currency_configuration: { currency_iso_code: text } },
        'WorkOrderContract',
      ),
    );
    expect((await listed(client, 'platform_a', 'payment', '1')).data.check_number).toBe(text);
    expect((await listed(client, 'platform_a', 'project', '1')).data.number).toBe(text);
  });
});

/** Text that does not compress well. */
function longText(length: number): string {
  let state = 1;
  let text = '';
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return text.slice(0, length);
}
