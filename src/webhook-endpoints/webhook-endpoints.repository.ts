import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { FindOneOptions, Repository } from 'typeorm';
import { WebhookEndpointRow } from '../database/entities/webhook-endpoint.entity';
import type { CustomerTransaction, Store } from '../database/transaction/store';
import { timeText } from '../database/transaction/time-text';
import type { EventType } from '../records/events/event-types';

/** The settings of an endpoint that its customer chooses. */
export interface EndpointSettings extends Readonly<
  Pick<WebhookEndpointRow, 'url' | 'description' | 'enabled'>
> {
  /** The types of events that it gets; none for all. */
  readonly types: readonly EventType[];
}

/** What new settings of an endpoint do besides. */
export interface SettingsEffects {
  /** Whether a batch under way is of no use any more, because it was begun with settings that are replaced. */
  readonly endsBatch: boolean;
  /** Whether the failures so far no longer count. */
  readonly beginsAnew: boolean;
}

/** An endpoint as people see it. */
export type StoredEndpoint = EndpointSettings &
  Readonly<
    Pick<
      WebhookEndpointRow,
      'id' | 'disabledReason' | 'createdAt' | 'failingSince' | 'openDeliveries' | 'secondsSinceRewound'
    >
  >;

/** Endpoints that a customer may have. */
export const MOST_ENDPOINTS = 20;

/**
 * After this number of failed attempts in a row, an endpoint gets a further event only when no delivery waits, and one at
 * a time, until an attempt succeeds.
 */
export const MOST_FAILURES = 5;

/** The most deliveries of an endpoint that may wait for another attempt. At this number it gets no further events. */
export const MOST_OPEN = 100;

/** An endpoint that has something to deliver. */
export type DueEndpoint = Readonly<Pick<WebhookEndpointRow, 'customerId' | 'id'>>;

/** The data that the deliverer needs for a claimed endpoint. */
export interface ClaimedEndpoint
  extends
    DueEndpoint,
    Readonly<Pick<WebhookEndpointRow, 'url' | 'position' | 'openDeliveries' | 'failures' | 'failingSince'>> {
  readonly types: readonly EventType[];
  /** Whether its customer is a demo session, which may send only to networks that the operator allows. */
  readonly isOfDemo: boolean;
  /** The claim under which the outcome is stored. */
  readonly claim: string;
  /** Events from before this time are not for it. In UTC, with microseconds. */
  readonly startsAt: string;
}

/** The state of an endpoint after a batch. */
export interface EndpointProgress extends Readonly<
  Pick<WebhookEndpointRow, 'position' | 'failures' | 'failingSince'>
> {
  /** Attempts that the batch made. */
  readonly attempts: number;
  /** Why the service disables it; null if it does not. */
  readonly disabledReason: string | null;
}

/** The table of addresses to which events are delivered. */
@Injectable()
export class WebhookEndpointsRepository {
  constructor(@InjectRepository(WebhookEndpointRow) private readonly rows: Repository<WebhookEndpointRow>) {}

  /** The endpoints of the customer, the oldest first. */
  async list(tx: CustomerTransaction): Promise<readonly StoredEndpoint[]> {
    const rows = await this.bound(tx).find({
      where: { customerId: tx.customerId },
      order: { createdTime: 'ASC', id: 'ASC' },
    });
    return rows.map(storedEndpoint);
  }

  /** An endpoint; undefined where the customer has none with this ID. */
  find(tx: CustomerTransaction, id: string): Promise<StoredEndpoint | undefined> {
    return this.one(tx, id);
  }

  /** An endpoint, with its row locked until the transaction ends. */
  lock(tx: CustomerTransaction, id: string): Promise<StoredEndpoint | undefined> {
    return this.one(tx, id, { lock: { mode: 'pessimistic_write' } });
  }

  /** How many endpoints the customer has. */
  count(tx: CustomerTransaction): Promise<number> {
    return this.bound(tx).countBy({ customerId: tx.customerId });
  }

  /**
   * Stores an endpoint that gets events from now on. Its position in the feed excludes earlier events, if it is known.
   * The time would not exclude them reliably, because changes in progress have earlier times; all are committed within a
   * day of their time.
   *
   * @param position the number of the last event that is not for the endpoint; undefined if that is not known
   */
  async insert(
    tx: CustomerTransaction,
    id: string,
    settings: EndpointSettings,
    position: number | undefined,
  ): Promise<void> {
    await this.bound(tx).insert({
      ...settings,
      types: [...settings.types],
      customerId: tx.customerId,
      id,
      position: position ?? null,
      createdTime: () => 'now()',
      startsTime: () => (position === undefined ? 'now()' : `now() - interval '1 day'`),
      workedAt: () => 'now()',
    });
  }

  /** Replaces the settings of an endpoint. */
  async update(
    tx: CustomerTransaction,
    id: string,
    settings: EndpointSettings,
    { endsBatch, beginsAnew }: SettingsEffects,
  ): Promise<void> {
    await this.bound(tx).update(
      { customerId: tx.customerId, id },
      {
        ...settings,
        types: [...settings.types],
        ...(endsBatch && claimEnds),
        ...(settings.enabled && { disabledReason: null }),
        ...(beginsAnew && { failures: 0, failingSince: null }),
      },
    );
  }

  /** Deletes an endpoint with all that belongs to it. @returns whether the customer had it */
  async delete(tx: CustomerTransaction, id: string): Promise<boolean> {
    const { affected } = await this.bound(tx).delete({ customerId: tx.customerId, id });
    return affected === 1;
  }

  /**
   * Sets an endpoint back to an earlier position of the feed. An endpoint before that position stays where it is. An
   * endpoint without a position begins where it would have begun.
   */
  async rewind(tx: CustomerTransaction, id: string, position: number, since: string): Promise<void> {
    await tx.query(
      `update webhook_endpoints set position = case when position is not null then least(position, $3::bigint) end,
         ${endClaim}, starts_at = least(starts_at, $4::timestamptz), rewound_at = now()
       where customer_id = $1 and id = $2`,
      [id, position, since],
    );
  }

  /**
   * Endpoints with events to deliver, ordered by the time since their last turn, longest first. Reads across customers.
   *
   * @param failing whether to find the endpoints whose last attempt failed, or the others
   * @param except customers that are left out
   */
  due(
    store: Store,
    failing: boolean,
    except: readonly string[],
    limit: number,
  ): Promise<readonly DueEndpoint[]> {
    return store.query<DueEndpoint>(
      `select e.customer_id as "customerId", e.id
       from webhook_endpoints e left join event_feeds f on f.customer_id = e.customer_id
       where e.enabled and e.failures ${failing ? '>' : '='} 0 and e.leased_until < now() and e.customer_id <> all($1::uuid[])
         and (e.retry_at <= now() or (
           e.open_deliveries < ${MOST_OPEN} and (e.failures < ${MOST_FAILURES} or e.open_deliveries = 0)
           and (f.last_sequence > coalesce(e.position, 0) or e.customer_id in (${customersWithNewEvents}))))
       order by e.worked_at limit $2`,
      [except, limit],
    );
  }

  /**
   * Claims an endpoint for a time. No other instance delivers to it meanwhile.
   *
   * @param lease milliseconds
   * @returns undefined if the endpoint is disabled, gone, or claimed by another instance
   */
  async claim(
    tx: CustomerTransaction,
    id: string,
    claim: string,
    lease: number,
  ): Promise<ClaimedEndpoint | undefined> {
    const [row] = await tx.query<Omit<ClaimedEndpoint, 'customerId' | 'claim'>>(
      `select e.id, e.url, e.types, ${timeText('e.starts_at')} as "startsAt", e.position::float8 as position,
         e.open_deliveries as "openDeliveries", e.failures, e.failing_since as "failingSince",
         (select c.kind = 'demo' from customers c where c.id = $1) as "isOfDemo"
       from webhook_endpoints e
       where e.customer_id = $1 and e.id = $2 and e.enabled and e.leased_until < now() for update skip locked`,
      [id],
    );
    if (row === undefined) return undefined;
    await tx.query(
      `update webhook_endpoints set claim = $3, leased_until = now() + $4 * interval '1 millisecond', worked_at = now()
       where customer_id = $1 and id = $2`,
      [id, claim, lease],
    );
    return { ...row, customerId: tx.customerId, claim };
  }

  /**
   * Stores the state of a claimed endpoint after a batch, and ends the claim.
   *
   * @returns the number of its last attempt; undefined if the claim was lost: then the caller must store nothing
   */
  async saveProgress(
    tx: CustomerTransaction,
    { id, claim }: ClaimedEndpoint,
    { position, attempts, failures, failingSince, disabledReason }: EndpointProgress,
  ): Promise<number | undefined> {
    const [row] = await tx.query<{ attempts: number }>(
      `update webhook_endpoints set position = $4, attempts = attempts + $5, failures = $6, failing_since = $7,
         enabled = enabled and $8::text is null, disabled_reason = $8, worked_at = now(), ${endClaim}
       where customer_id = $1 and id = $2 and claim = $3 returning attempts::float8 as attempts`,
      [id, claim, position, attempts, failures, failingSince, disabledReason],
    );
    return row?.attempts;
  }

  /** Counts the deliveries that wait, after some were stored or removed, and notes when the next of them is due. */
  async noteOpenDeliveries(tx: CustomerTransaction, id: string): Promise<void> {
    await tx.query(
      `update webhook_endpoints set retry_at = (${nextAttempt}), open_deliveries = (
         select count(*) from webhook_deliveries d where d.customer_id = $1 and d.endpoint_id = $2)
       where customer_id = $1 and id = $2`,
      [id],
    );
  }

  /** Ends a claim whose work has failed. The endpoint is due again after a pause. @param pause milliseconds */
  async postpone(tx: CustomerTransaction, { id, claim }: ClaimedEndpoint, pause: number): Promise<void> {
    await tx.query(
      `update webhook_endpoints set claim = null, leased_until = now() + $4 * interval '1 millisecond'
       where customer_id = $1 and id = $2 and claim = $3`,
      [id, claim, pause],
    );
  }

  private async one(
    tx: CustomerTransaction,
    id: string,
    options: Pick<FindOneOptions<WebhookEndpointRow>, 'lock'> = {},
  ): Promise<StoredEndpoint | undefined> {
    const row = await this.bound(tx).findOne({ where: { customerId: tx.customerId, id }, ...options });
    return row === null ? undefined : storedEndpoint(row);
  }

  private bound(tx: CustomerTransaction): Repository<WebhookEndpointRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}

function storedEndpoint(row: WebhookEndpointRow): StoredEndpoint {
  return { ...row, types: row.types as EventType[] }; // The API has checked them before they were stored.
}

// Ends the claim of an endpoint. The results of a batch that is still in progress are then not stored, and the batch is
// repeated, because it used the earlier settings or position.
const endClaim = `claim = null, leased_until = '-infinity'`;
const claimEnds = { claim: null, leasedUntil: () => `'-infinity'` };

// Events without numbers are searched once per customer, not per endpoint. The limit keeps the planner from reading all
// events instead.
const customersWithNewEvents = `
  select c.customer_id from (
    select w.customer_id from webhook_endpoints w where w.enabled group by w.customer_id) c
  where coalesce((
    select true from events v where v.customer_id = c.customer_id and v.sequence is null limit 1), false)`;

// While a delivery waits, later deliveries of the same object wait too.
const nextAttempt = `
  select min(d.next_at) from webhook_deliveries d where d.customer_id = $1 and d.endpoint_id = $2 and (
    d.is_resend or d.object is null or not exists (
      select from webhook_deliveries b where b.customer_id = $1 and b.endpoint_id = $2 and not b.is_resend
        and b.object = d.object and b.sequence < d.sequence))`;
