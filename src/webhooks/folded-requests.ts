import { Injectable } from '@nestjs/common';
import type { ConnectionName } from '../connectors/connector';
import { SyncRequests } from '../sync/sync-requests';

/**
 * Asks for readings, once for all calls that come together: a storm takes one connection to the database, not hundreds. What
 * comes while one request is being stored is covered by the next, since that one may have been too early for it.
 */
@Injectable()
export class FoldedRequests {
  private readonly waiting = new Map<string, Promise<void>>();
  /** Never reject. */
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(private readonly requests: Pick<SyncRequests, 'request'>) {}

  /**
   * Resolves when a reading that begins after this call is asked for, durably.
   *
   * @throws DatabaseUnavailable, Overloaded
   */
  ask(connection: ConnectionName): Promise<void> {
    const key = `${connection.customerId} ${connection.platform}`;
    const waiting = this.waiting.get(key);
    if (waiting !== undefined) return waiting;
    const before = this.underWay.get(key) ?? Promise.resolve();
    const asked = before.then(() => this.begin(key, connection));
    this.waiting.set(key, asked);
    return asked;
  }

  private async begin(key: string, connection: ConnectionName): Promise<void> {
    this.waiting.delete(key);
    const request = this.requests.request(connection);
    const ended = request.catch(() => undefined);
    this.underWay.set(key, ended);
    try {
      await request;
    } finally {
      if (this.underWay.get(key) === ended) this.underWay.delete(key);
    }
  }
}
