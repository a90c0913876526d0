/** @jest-environment node */
// Comes first: what is loaded after it finds three platforms.
import { ledger } from '../../support/platform_c/register';
import { platformNames, type PlatformName } from '@app/mapper';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { describedBy } from '../../support/described-calls';
import { allListings, connect, listing } from '../../support/listings';
import { objectsOf, StoredRecords } from '../../support/stored-records';

jest.setTimeout(120_000);

const [a, b] = ['platform_a', 'platform_b'] as const;
const orders: readonly (readonly PlatformName[])[] = [
  [a, b, ledger],
  [a, ledger, b],
  [b, a, ledger],
  [b, ledger, a],
  [ledger, a, b],
  [ledger, b, a],
];

/** What belongs together: X is on a and c only, Y on b and c only, Z on all three. */
const expected: Readonly<Record<string, Readonly<Record<string, readonly (string | undefined)[]>>>> = {
  project: {
    X: ['341331', undefined, 'J2'],
    Y: [undefined, '7c6eed3d-9acd-41c1-a5b6-293950498ddd', 'J3'],
    Z: ['341276', '59939926-c49b-49b8-8350-270a7c8179f7', 'J1'],
  },
  customer: {
    X: ['501099', undefined, 'P2'],
    Y: [undefined, 'a54b87d9-3385-49ec-b8d7-26aaaedc636b', 'P3'],
    Z: ['501004', 'f49ae22a-7deb-4f4b-ba67-c8e09edcf190', 'P1'],
  },
  contract: {
    X: ['1945826', undefined, 'K2'],
    Y: [undefined, '453e9f7a-fe45-4074-b0fb-46a31126b7d7', 'K3'],
    Z: ['1945782', 'e27086cf-303f-4cb0-b36a-d348e484bcd5', 'K1'],
    'one SC-001': ['1945790', '406ca4bd-039d-465f-b9be-624b9bec8fe6', 'K4'],
    'the other SC-001': ['1945797', '44eee2ce-744a-40a7-bbbe-d38dd74a4f7b', 'K5'],
    alone: [undefined, undefined, 'K6'],
  },
  invoice: {
    X: ['10082', undefined, 'I2'],
    Y: [undefined, 'e385ddc8-5cdc-4711-bdc0-7c9b6ee5873c', 'I3'],
    Z: ['10061', 'e4c74346-de67-45e7-bc0b-70120927dab0', 'I1'],
  },
  payment: {
    X: ['1823391', undefined, 'X1'],
    Y: [undefined, '75508914-6e39-423c-95ba-296457268799', 'Y1'],
    Z: ['1823456', 'a34e74db-53c7-4368-8fe7-bb87c83c7902', 'Z1'],
    'one of two': [undefined, undefined, 'A1'],
    'the other of two': [undefined, undefined, 'A2'],
  },
};
const types = Object.keys(expected) as ('project' | 'customer' | 'contract' | 'invoice' | 'payment')[];

describe('three connected platforms', () => {
  let service: RunningApp;
  let stored: StoredRecords;
  let client: ReturnType<typeof api>;
  let customerId: string;
  beforeAll(async () => {
    service = await startApp({ logLevel: 'silent' });
    describedBy(await (await fetch(`${service.url}/api/v1/openapi.json`)).json());
    stored = await StoredRecords.open(service.databaseUrl);
    const session = await service.openSession();
    client = api(service.url, session.key);
    ({ customerId } = session);
    // No vendor of the portfolio is on platform_a alone.
    await stored.query(
      `insert into sandbox_records (customer_id, platform, entity_type, platform_id, payload)
       values ($1, 'platform_a', 'customer', '501099', '{"id":501099,"name":"Only here","business_register":{"identifier":"tax-x"}}')`,
      [customerId],
    );
  });
  afterAll(async () => {
    await stored.close();
    await service.close();
  });

  /** Everything that a customer has after connecting in an order; the customer is the same each time, so are digests. */
  async function load(order: readonly PlatformName[]) {
    await stored.forget(customerId);
    for (const platform of order) await connect(client, platform);
    const rows = await stored.of(customerId);
    return { rows, objects: objectsOf(rows), listings: await allListings(client) };
  }
  let first: Awaited<ReturnType<typeof load>> | undefined;

  it.each(orders)('are the same in the order %s, %s, %s', async (...order) => {
    const loaded = await load(order);
    first ??= loaded;
    expect(loaded.objects).toEqual(first.objects);
    expect(loaded.rows).toEqual(first.rows);
    expect(loaded.listings).toEqual(first.listings);

    for (const type of types) {
      const listed = new Map(
        await Promise.all(
          platformNames.map(async (platform) => [platform, await listing(client, platform, type)] as const),
        ),
      );
      for (const ids of Object.values(expected[type] ?? {})) {
        const mappings = platformNames.flatMap((platform, place) => {
          const id = ids[place];
          return id === undefined ? [] : [{ platform, platform_id: id }];
        });
        for (const { platform, platform_id } of mappings) {
          const one = listed.get(platform)?.find(({ id }) => id === platform_id);
          expect({ type, platform, mappings: one?.mappings }).toEqual({ type, platform, mappings });
          expect(one?.data.external_ids).toEqual(
            Object.fromEntries(mappings.map((each) => [each.platform, each.platform_id])),
          );
        }
      }
    }
  });

  it('stay as they are when each is read again', async () => {
    const before = await load([ledger, b, a]);
    for (const platform of [a, ledger, b] as const) await connect(client, platform);
    expect(await stored.of(customerId)).toEqual(before.rows);
    expect(await allListings(client)).toEqual(before.listings);
  });
});
