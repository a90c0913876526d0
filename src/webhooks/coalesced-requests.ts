import { Injectable } from '@nestjs/common';
import type { ConnectionName, NamedRecord } from '../platforms/connector';
import { keyOf, MOST_NAMED } from '../sync/schedule/named-records.repository';
import { SyncRequests } from '../sync/schedule/sync-requests';

/** A request that has not started yet. */
interface Waiting {
  readonly asked: Promise<void>;
  /** The records that the notifications name, by key. */
  readonly named: Map<string, NamedRecord>;
}

/**
 * Requests readings, once for all concurrent notifications: a storm of notifications takes one database connection
 * instead of hundreds. Notifications that arrive while a request is being stored are covered by the next request,
 * because the current one may precede their changes.
 */
@Injectable()
export class CoalescedRequests {
  private readonly waiting = new Map<string, Waiting>();
  /** Never reject. */
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(private readonly requests: Pick<SyncRequests, 'request'>) {}

  /**
   * Resolves when a reading that begins after this call is durably requested.
   *
   * @param named records that the reading looks up; above a maximum number, later records are left to the daily reading
   * @throws DatabaseUnavailable, Overloaded
   */
  ask(connection: ConnectionName, named: readonly NamedRecord[] = []): Promise<void> {
    const key = `${connection.customerId} ${connection.platform}`;
    const waiting = this.waiting.get(key) ?? this.wait(key, connection);
    for (const record of named) {
      if (waiting.named.size === MOST_NAMED) break;
      waiting.named.set(keyOf(record), record);
    }
    return waiting.asked;
  }

  private wait(key: string, connection: ConnectionName): Waiting {
    const named = new Map<string, NamedRecord>();
    const before = this.underWay.get(key) ?? Promise.resolve();
    const waiting = { asked: before.then(() => this.begin(key, connection, named)), named };
    this.waiting.set(key, waiting);
    return waiting;
  }

  private async begin(
    key: string,
    connection: ConnectionName,
    named: ReadonlyMap<string, NamedRecord>,
  ): Promise<void> {
    this.waiting.delete(key);
    const request = this.requests.request(connection, { named: [...named.values()] });
    const ended = request.catch(() => undefined);
    this.underWay.set(key, ended);
    try {
      await request;
    } finally {
      if (this.underWay.get(key) === ended) this.underWay.delete(key);
    }
  }
}
