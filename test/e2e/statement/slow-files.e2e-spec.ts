import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { guid } from '../../support/records/guid';

/** More than the buffers between the service and a client hold. */
const NOTES = 'n'.repeat(16_000);
const PAYMENTS = 228;

jest.setTimeout(120_000);

const places = (count: number) => Array.from({ length: count }, (_, place) => place + 1);

interface CaseLine {
  readonly id: string;
  readonly field: string;
  /** Minor units. */
  readonly difference: number;
}

describe('a file that a client takes slowly while others write', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  let key: string;
  let customerId: string;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'error' }, [], sources);
    await books(PAYMENTS);
  });
  afterAll(() => service.close());

  /** A customer with payments that differ in their notes, and every second one in its amount. */
  const books = async (count: number) => {
    ({ key, customerId } = await service.openSession());
    sources.give(
      customerId,
      'platform_a',
      places(count).map((id) =>
        record('payment', { id, amount: `${id}.00`, check_number: `CHK-${id}`, notes: `a ${NOTES}` }),
      ),
    );
    await connect(api(service.url, key), 'platform_a');
    await readB(count, 'b', (id) => (id % 2 === 0 ? id + id / 2 : id));
  };

  const readB = async (count: number, note: string, amountOf: (id: number) => number) => {
    sources.give(
      customerId,
      'platform_b',
      places(count).map((id) =>
        record('payment', {
          id: guid(id),
          amount: -amountOf(id),
          currencyCode: 'USD',
          externalDocumentNumber: `CHK-${id}`,
          comment: `${note} ${NOTES}`,
        }),
      ),
    );
    await connect(api(service.url, key), 'platform_b');
  };

  /** Waits until the comparisons have followed. */
  const compared = async () => {
    const statement = () => api(service.url, key).get('/reconciliation?entity_type=payment');
    while (!(await statement()).body.data.complete);
  };

  /** Begins to take a file, and goes on when it is told to. */
  const begin = async (path: string) => {
    const request = get(`${service.url}/api/v1${path}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    return async (): Promise<string> => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece as Buffer);
      return Buffer.concat(pieces).toString('utf8');
    };
  };

  const write = async (ids: readonly number[]) => {
    for (const id of ids) {
      const { status } = await api(service.url, key).post('/propagate', {
        format: 'platform',
        platform: 'platform_a',
        platform_id: String(id),
        entity_type: 'payment',
        data: { amount: id % 4 === 0 ? '90000.00' : `${id + 7}.00`, notes: 'short' },
      });
      expect(status).toBe(200);
    }
  };

  const cents = (text: string): number => Math.round(Number(text) * 100);

  const readFile = (text: string) => {
    const rows = text
      .replace('﻿', '')
      .split('\r\n')
      .map((line) => line.split(','));
    const valueOf = (...names: readonly string[]): string =>
      rows.find((row) => names.every((name, place) => row[place] === name))?.[names.length] ?? '';
    const header = rows.find(([first]) => first === 'id') ?? [];
    const lines = rows
      .filter(([first]) => first?.startsWith('case_') === true)
      .map((row): CaseLine => {
        const cell = (name: string): string => row[header.indexOf(name)] ?? '';
        return { id: cell('id'), field: cell('field'), difference: cents(cell('difference')) };
      });
    return { rows, lines, valueOf };
  };

  it.each([
    ['amount', 7],
    ['type', 14],
  ])('has lines that come to its head, sorted by %s', async (sort, start) => {
    const path = `/reconciliation/cases?sort=${sort}`;
    const before = readFile(await (await begin(path))());
    const goOn = await begin(path);
    const changed = Array.from({ length: 12 }, (_, place) => 1 + ((start + place * 23) % PAYMENTS));
    await write(changed);
    const { lines, valueOf } = readFile(await goOn());
    expect(valueOf('complete')).toBe('yes');
    expect(lines).toHaveLength(Number(valueOf('cases')));
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
    const amounts = lines.filter(({ field }) => field === 'amount');
    const sum = amounts.reduce((total, { difference }) => total + difference, 0);
    const [from, to] = [
      cents(valueOf('sum', 'payment on platform_a')),
      cents(valueOf('sum', 'payment on platform_b')),
    ];
    expect(from + sum).toBe(to);
    // Nothing was written before it began.
    expect(lines).toEqual(before.lines);
    const after = readFile(await (await begin(path))());
    expect(after.lines).not.toEqual(before.lines);
    expect(after.lines).toHaveLength(Number(after.valueOf('cases')));
    const later = await api(service.url, key).get(`/reconciliation?as_of=${valueOf('as of')}`);
    expect(later.body.data.digest).toBe(valueOf('digest'));
  });

  it('of closed cases has all of one moment, while some open again', async () => {
    const count = PAYMENTS;
    await books(count);
    await compared();
    await readB(count, 'a', (id) => id);
    await compared();
    const path = '/reconciliation/cases?state=closed';
    const before = readFile(await (await begin(path))());
    expect(before.lines).toHaveLength(count + count / 2);
    const goOn = await begin(path);
    await readB(count, 'c', (id) => id);
    await compared();
    const open = await api(service.url, key).get('/reconciliation/cases?limit=1');
    expect(open.body.facets.total).toBe(count);
    const { lines, valueOf } = readFile(await goOn());
    expect(lines).toHaveLength(Number(valueOf('cases')));
    expect(lines).toEqual(before.lines);
  });
});
