import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { behaviourOf, type PortfolioRecord } from '@app/behaviour';
import { api } from '../app/api';
import { FeedReader } from '../customers/feed';
import { recordsToChange, recordsToCreate } from '../campaign/live/records';
import type { WitnessedPlatforms } from '../campaign/live/witnessed-platforms';
import type { Portfolio } from '../customers/portfolio';
import type { PassedRequest } from '../http/public-address';
import { changes, type RepeatedWork } from '../customers/repeated-work';
import { isVerified, type ReceivedDelivery, type WebhookReceiver } from '../http/webhook-receiver';

/**
 * The most checks of {@link until}, and the milliseconds between two. A condition that never holds is given up after
 * minutes.
 */
const LOOKS = 6_000;
const LOOK_MS = 25;

/** Waits until a condition holds without further action of the test. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = LOOKS; left > 0; left -= 1) {
    if (await isSo()) return;
    await sleep(LOOK_MS);
  }
  throw new Error(`It never came to it: ${what}`);
}

const PAYMENT = recordsToChange.payment.ids;

/** Changes of a payment on two live platforms: each writes it once. */
export function liveChanges({ witnesses }: WitnessedPlatforms): RepeatedWork {
  const wording = (step: number) => `ours ${step}`;
  const work = changes(PAYMENT.platform_a, PAYMENT.platform_b, wording);
  return {
    ...work,
    name: 'live change',
    expectOnce: async (portfolio, step, answer) => {
      await work.expectOnce(portfolio, step, answer);
      const effects = [
        ['platform_a', 'notes'],
        ['platform_b', 'comment'],
      ] as const;
      for (const [platform, field] of effects) {
        const command = {
          platform,
          entityType: 'payment' as const,
          platformId: PAYMENT[platform],
          changes: [{ path: [field], value: wording(step) }],
        };
        expect({ platform, step, effects: witnesses[platform].effectsOf(command) }).toEqual({
          platform,
          step,
          effects: 1,
        });
        expect(witnesses[platform].repeated()).toEqual([]);
      }
    },
  };
}

/** Customers that exist on platform_b only, modelled on one of the sample portfolio. */
export function customersOfB(count: number): readonly PortfolioRecord[] {
  const like = behaviourOf('platform_b')
    .portfolio()
    .find(({ payload }) => payload['id'] === recordsToCreate.customer.id);
  if (like === undefined) throw new Error('The sample portfolio has no such customer');
  return Array.from({ length: count }, (_, place) => ({
    ...like,
    payload: {
      ...like.payload,
      id: randomUUID(),
      number: `C9${String(place).padStart(4, '0')}`,
      displayName: `Builder ${randomUUID()}`,
      email: `office@builder-${place}.example`,
      website: `https://builder-${place}.example`,
      phoneNumber: `+971 2 600 ${String(place).padStart(4, '0')}`,
      addressLine1: `Plot ${place}`,
      taxRegistrationNumber: String(200_000_000_000_000 + place),
    },
  }));
}

/** Changes of customers that platform_a lacks: each creates one there, once. */
export function creations(
  { witnesses }: WitnessedPlatforms,
  customers: readonly PortfolioRecord[],
): RepeatedWork {
  const website = (step: number) => `https://ours-${step}.example`;
  return {
    name: 'live creation',
    isKeyed: true,
    send: (url, caller, step) => {
      const { id } = customers[step - 1]?.payload ?? {};
      if (typeof id !== 'string') throw new Error('There are too few customers to create');
      return api(url, caller.key).post(
        '/propagate',
        {
          ...{ format: 'platform', platform: 'platform_b', platform_id: id, entity_type: 'customer' },
          data: { website: website(step) },
          create_missing: true,
        },
        { 'Idempotency-Key': `creation-${step}` },
      );
    },
    expectOnce: (_portfolio, step, { body }) => {
      expect(body.data.propagated).toMatchObject({
        platform_a: { status: 'applied' },
        platform_b: { status: 'applied' },
      });
      const command = {
        platform: 'platform_a' as const,
        entityType: 'customer' as const,
        platformId: null,
        changes: [{ path: ['website'], value: website(step) }],
      };
      expect({ step, effects: witnesses.platform_a.effectsOf(command) }).toEqual({ step, effects: 1 });
      expect(witnesses.platform_a.created('vendors')).toHaveLength(step);
      for (const witness of Object.values(witnesses)) expect(witness.repeated()).toEqual([]);
      return Promise.resolve();
    },
  };
}

/**
 * Notices of platform_a that one of its users has changed a payment: the service reads it again. The platform repeats
 * each notice until it is answered, and never afterwards.
 *
 * @param like a notice that the platform has sent about this payment
 */
export function notices({ a }: WitnessedPlatforms, like: PassedRequest): RepeatedWork {
  const id = Number(PAYMENT.platform_a);
  const wording = (step: number) => `told ${step}`;
  return {
    name: 'notice',
    isKeyed: false,
    isSentOnce: true,
    send: async (url, _caller, step) => {
      const set = { notes: wording(step) };
      a.control.edit('change_record', { kind: 'contract_payments', id, set, quiet: true });
      const { status, headers, text } = await noticeTo(url, like);
      return { status, headers, text, body: { data: {} } };
    },
    follow: async (portfolio, step) => {
      await until(`${wording(step)} is read`, async () => {
        const [row] = await portfolio.sql<{ notes: string; rest: number }>(
          `select payload->>'notes' as notes, (select count(*) from named_records where customer_id = $1)::int
             + (select count(*) from sync_runs where customer_id = $1 and status = 'running')::int
             + (select count(*) from sync_schedules where customer_id = $1 and requested_at is not null)::int as rest
           from platform_records where customer_id = $1 and platform = 'platform_a' and platform_id = $2`,
          [portfolio.customerId, String(id)],
        );
        return row?.notes === wording(step) && row.rest === 0;
      });
    },
    expectOnce: async (portfolio, step, { status, text }) => {
      expect([status, text]).toEqual([200, '']);
      expect((await portfolio.find('platform_a', 'payment', String(id))).platform_data.notes).toBe(
        wording(step),
      );
      const staged = 'select from staged_records where customer_id = $1';
      expect(await portfolio.sql(staged, [portfolio.customerId])).toEqual([]);
    },
  };
}

async function noticeTo(url: string, { target, headers, body }: PassedRequest) {
  const response = await fetch(url + target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' },
    body,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/**
 * Changes of a payment whose events are delivered to an endpoint: each event at least once, always with the same
 * content, and the events of an object in order.
 *
 * @param secret of the endpoint
 * @param seen events from before the endpoint existed
 */
export function deliveries(
  work: RepeatedWork,
  receiver: WebhookReceiver,
  secret: string,
  seen: FeedReader,
): RepeatedWork {
  const due = new Map<string, object>();
  const first = new Map<string, ReceivedDelivery>();
  const last = new Map<string, number>();
  let looked = 0;
  const look = (): void => {
    for (const delivery of receiver.deliveries.slice(looked)) {
      looked += 1;
      const { event, text } = delivery;
      const before = first.get(event.id);
      expect(isVerified(secret, delivery)).toBe(true);
      expect(delivery.headers['webhook-id']).toBe(event.id);
      expect(text).toBe(before?.text ?? text);
      if (before !== undefined) continue;
      first.set(event.id, delivery);
      const object: unknown = event.data.canonical_id;
      if (typeof object !== 'string') continue;
      expect(event.sequence).toBeGreaterThan(last.get(object) ?? 0);
      last.set(object, event.sequence);
    }
  };
  const note = async (portfolio: Portfolio): Promise<void> => {
    for (const event of await seen.read(portfolio.client)) due.set(event.id, event);
  };
  return {
    ...work,
    name: 'delivery',
    follow: async (portfolio) => {
      await note(portfolio);
      await until('all events are delivered', () => {
        look();
        return [...due.keys()].every((id) => first.has(id));
      });
    },
    expectOnce: async (portfolio, step, answer) => {
      await work.expectOnce(portfolio, step, answer);
      await note(portfolio);
      expect(due.size).toBeGreaterThanOrEqual(step);
      for (const [id, event] of due) expect(first.get(id)?.event).toEqual(event);
      // Only events of the feed are delivered.
      expect([...first.keys()].filter((id) => !due.has(id))).toEqual([]);
    },
  };
}
