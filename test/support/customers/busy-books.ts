import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ExchangeRatesService } from '../../../src/terms/rates/exchange-rates.service';
import { api, type ApiResponse } from '../app/api';
import type { RunningApp } from '../app/app';
import { record, type GivenRecords } from '../platforms/given-records';
import { connect } from './listings';
import { guid } from '../records/guid';

/** The number of payments that both platforms have, numbered from 1. The amounts of the last ones differ. */
const PAYMENTS = 24;

/** A customer whose records tests read and write at the same time. */
export interface BusyBooks {
  readonly customerId: string;
  readonly key: string;
  /** Changes the amount of a payment. */
  change(instance: RunningApp, place: number, step: number): Promise<ApiResponse>;
}

/** A customer with payments on both platforms. */
export async function busyBooks(instance: RunningApp, sources: GivenRecords): Promise<BusyBooks> {
  const { key, customerId } = await instance.openSession();
  const places = Array.from({ length: PAYMENTS }, (_, place) => place + 1);
  sources.give(
    customerId,
    'platform_a',
    places.map((id) => record('payment', { id, amount: `${id}.00`, check_number: `CHK-${id}` })),
  );
  sources.give(
    customerId,
    'platform_b',
    places.map((id) =>
      record('payment', {
        id: guid(id),
        amount: id > 16 ? -id - 1 : -id,
        currencyCode: 'USD',
        externalDocumentNumber: `CHK-${id}`,
      }),
    ),
  );
  const client = api(instance.url, key);
  for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
  return {
    customerId,
    key,
    change: ({ url }, place, step) =>
      api(url, key).post('/propagate', {
        format: 'platform',
        platform: 'platform_a',
        platform_id: String((place % PAYMENTS) + 1),
        entity_type: 'payment',
        data: { amount: `${100 + step}.${String(step % 100).padStart(2, '0')}` },
      }),
  };
}

/** The results of many statements that were read while other clients wrote. */
export interface Reproduced {
  readonly complete: number;
  readonly changes: number;
  /** Complete statements that were different when they were read again as of their own time. */
  readonly differing: readonly { readonly first: unknown; readonly again: unknown }[];
}

/** Pauses of the writers after each change, in milliseconds. They leave moments in which a statement is complete. */
const RESTS = [0, 400, 900];

/**
 * Reads statements on both instances while four writers change records and one changes rates. Reads each complete
 * statement again, as of its own time, on the other instance.
 *
 * @param rounds the least number of complete statements
 */
export async function reproduceStatements(
  instances: readonly [RunningApp, RunningApp],
  sources: GivenRecords,
  rounds: number,
): Promise<Reproduced> {
  const [first, second] = instances;
  const books = await busyBooks(first, sources);
  const differing: { first: unknown; again: unknown }[] = [];
  let [complete, changes, reading] = [0, 0, true];
  const write = async (instance: RunningApp, from: number): Promise<void> => {
    for (let step = from; reading; step += 1) {
      const { status } = await books.change(instance, step * 5, step);
      if (![200, 409].includes(status)) throw new Error(`A change was answered with ${status}`);
      changes += 1;
      await sleep(RESTS[step % RESTS.length] ?? 0);
    }
  };
  const setRates = async ({ app }: RunningApp): Promise<void> => {
    const rates = app.get(ExchangeRatesService, { strict: false });
    for (let step = 1; reading; step += 1) {
      await rates.set(books.customerId, { from: 'USD', to: 'JPY', rate: String(150 + step) });
      await sleep(1_500);
    }
  };
  const read = async (one: RunningApp, other: RunningApp, query: string): Promise<void> => {
    for (let round = 0; round < rounds * 20 && complete < rounds; round += 1) {
      const { body } = await api(one.url, books.key).get(`/reconciliation?${query}`);
      if (body.data?.complete !== true) continue;
      complete += 1;
      const { body: again } = await api(other.url, books.key).get(
        `/reconciliation?${query}&as_of=${body.data.as_of}`,
      );
      if (!isDeepStrictEqual(again.data, body.data)) differing.push({ first: body.data, again: again.data });
    }
  };
  const writers = [
    write(first, 0),
    write(second, 100),
    write(second, 200),
    write(first, 300),
    setRates(second),
  ];
  try {
    await Promise.all([read(first, second, 'currency=JPY'), read(second, first, 'currency=USD')]);
  } finally {
    reading = false;
    await Promise.all(writers);
  }
  return { complete, changes, differing };
}
