import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { PlatformName } from '@app/mapper';
import type { QueryDeepPartialEntity, Repository } from 'typeorm';
import { PassthroughRequestRow } from '../database/entities/passthrough-request.entity';
import {
  customersWithOlderRows,
  type CustomersWithOlderRows,
  type OlderRow,
} from '../database/transaction/older-rows';
import { ForbiddenTransition } from '../database/state-machine';
import type { CustomerTransaction, Store } from '../database/transaction/store';
import { passthroughStates, type PassthroughState } from './passthrough-states';

/** A write as it is stored. Its time is in UTC, with microseconds. */
export type StoredRequest = Readonly<
  Pick<
    PassthroughRequestRow,
    'id' | 'platform' | 'method' | 'path' | 'keyId' | 'requestId' | 'sentAt' | 'state' | 'status'
  >
>;

/** A position in the list: requests older than this one. */
export interface RequestPosition {
  readonly at: string;
  readonly id: string;
}

/** The table of writes that callers have sent to a platform themselves. */
@Injectable()
export class PassthroughRequestsRepository {
  constructor(
    @InjectRepository(PassthroughRequestRow) private readonly rows: Repository<PassthroughRequestRow>,
  ) {}

  /** Stores a request that is about to be sent. */
  async insert(
    tx: CustomerTransaction,
    request: Pick<StoredRequest, 'id' | 'platform' | 'method' | 'path' | 'keyId' | 'requestId'>,
  ): Promise<void> {
    await this.bound(tx).insert({ ...request, customerId: tx.customerId });
  }

  /** Stores the status of the platform's answer. @throws ForbiddenTransition for a request that is decided */
  answered(tx: CustomerTransaction, id: string, status: number): Promise<void> {
    return this.decide(tx, id, { state: 'answered', status, answeredTime: () => 'statement_timestamp()' });
  }

  /**
   * Stores that the platform did not receive the request.
   *
   * @throws ForbiddenTransition for a request that is decided
   */
  notSent(tx: CustomerTransaction, id: string): Promise<void> {
    return this.decide(tx, id, { state: 'not_sent' });
  }

  /** Whether a request has no outcome yet and was stored less than so many milliseconds ago. */
  async isRecent(tx: CustomerTransaction, id: string, milliseconds: number): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from passthrough_requests where customer_id = $1 and id = $2 and state = 'sent'
         and sent_at > now() - $3 * interval '1 millisecond'`,
      [id, milliseconds],
    );
    return rows.length > 0;
  }

  /** Requests to a platform, newest first. */
  list(
    tx: CustomerTransaction,
    platform: PlatformName,
    limit: number,
    before: RequestPosition | undefined,
  ): Promise<readonly StoredRequest[]> {
    const listing = this.bound(tx)
      .createQueryBuilder('r')
      .where({ customerId: tx.customerId, platform })
      .orderBy('r.sentTime', 'DESC')
      .addOrderBy('r.id', 'DESC')
      .limit(limit);
    if (before !== undefined) listing.andWhere('(r.sentTime, r.id) < (:at::timestamptz, :id::uuid)', before);
    return listing.getMany();
  }

  /** Deletes requests that were sent before a time, `most` at a time. @returns how many */
  deleteOld(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
    return tx.execute(
      `delete from passthrough_requests r using (
         select o.id from passthrough_requests o where o.customer_id = $1 and o.sent_at <= $2 order by o.sent_at limit $3
       ) old
       where r.customer_id = $1 and r.id = old.id`,
      [before, most],
    );
  }

  private async decide(
    tx: CustomerTransaction,
    id: string,
    change: QueryDeepPartialEntity<PassthroughRequestRow> & { readonly state: PassthroughState },
  ): Promise<void> {
    const { affected } = await this.bound(tx)
      .createQueryBuilder()
      .update(change)
      .where({ customerId: tx.customerId, id })
      .andWhere(passthroughStates.before(change.state))
      .execute();
    if (affected !== 1) throw new ForbiddenTransition(`Request ${id}`, change.state);
  }

  private bound(tx: CustomerTransaction): Repository<PassthroughRequestRow> {
    return tx.store.manager.withRepository(this.rows);
  }
}

/** A page of customers with requests that were sent before a time. Reads across customers. */
export function customersWithOldRequests(
  store: Store,
  before: Date,
  after?: OlderRow,
): Promise<CustomersWithOlderRows> {
  return customersWithOlderRows(store, { table: 'passthrough_requests', time: 'sent_at' }, before, after);
}
