import { Injectable } from '@nestjs/common';
import { KEY_IN_USE } from '../auth/api-keys.repository';
import { getCustomer } from '../auth/api-keys.service';
import type { Customer } from '../auth/customer';
import { UnitOfWork } from '../database/unit-of-work';

/** A customer as listings show it. */
export interface CustomerSummary {
  readonly id: string;
  readonly name: string;
  readonly kind: Customer['kind'];
  readonly created_at: Date;
  /** Keys that open something now: neither revoked nor expired. */
  readonly keys_in_use: number;
  readonly connections: number;
}

/** A platform that a customer has connected. */
export interface ConnectionSummary {
  readonly platform: string;
  readonly connected_at: Date;
  /** When the platform's records were read last. */
  readonly synced_at: Date;
  readonly entities_synced: number;
  /** ISO 4217: the currency of records that name none. */
  readonly currency: string;
}

/** Who the customers are, and what they have connected. */
@Injectable()
export class CustomersService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** The customers of the given kinds, oldest first. */
  list(kinds: readonly Customer['kind'][]): Promise<CustomerSummary[]> {
    return this.unitOfWork.run(
      (store) =>
        store.query<CustomerSummary>(
          `select c.id, c.name, c.kind, c.created_at,
                  (select count(*)::int from api_keys k where k.customer_id = c.id and ${KEY_IN_USE}) as keys_in_use,
                  (select count(*)::int from connections o where o.customer_id = c.id) as connections
             from customers c where c.kind = any($1) order by c.created_at, c.id`,
          [kinds],
        ),
      // Of demo customers there can be many.
      { patience: 'bulk', readOnly: true },
    );
  }

  /**
   * The connections of a customer, in order of precedence.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  connections(customerId: string): Promise<ConnectionSummary[]> {
    return this.unitOfWork.run(
      async (store) => {
        await getCustomer(store, customerId);
        return store.query<ConnectionSummary>(
          `select platform, connected_at, synced_at, entities_synced, currency
             from connections where customer_id = $1 order by platform`,
          [customerId],
        );
      },
      { readOnly: true },
    );
  }
}
