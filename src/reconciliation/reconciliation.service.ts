import { Injectable } from '@nestjs/common';
import {
  keyFieldsOf,
  platformNames,
  storedEntityTypes,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { getCustomer } from '../auth/customers.service';
import type { Store } from '../database/store';
import { UnitOfWork } from '../database/unit-of-work';
import { customerRates } from '../rates/exchange-rates.service';
import { listPage, type ListingPosition } from '../records/stored-objects';
import { findingsIn, type Finding } from './findings';

const OBJECTS_PER_PAGE = 200;

/** Lists what reconciling left for people to decide. */
@Injectable()
export class ReconciliationService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Every finding about a customer's records, type by type, out of one snapshot. Nothing of this is stored: it follows
   * from the records, so it is never out of date.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  list(customerId: string): Promise<readonly Finding[]> {
    return this.unitOfWork.run(
      async (store) => {
        await getCustomer(store, customerId);
        const findings: Finding[] = [];
        const rates = await customerRates(store, customerId);
        for (const entityType of storedEntityTypes) {
          for (const platform of platformNames) {
            let position: ListingPosition | undefined;
            do {
              const page = await listPage(
                store,
                customerId,
                platform,
                entityType,
                position,
                OBJECTS_PER_PAGE,
              );
              for (const { loaded } of page.records) {
                // An object is told once: with the record that comes first.
                if (loaded.copies[0]?.platform === platform) findings.push(...findingsIn(loaded, rates));
              }
              position = page.next;
            } while (position !== undefined);
          }
          findings.push(...(await ambiguous(store, customerId, entityType)));
        }
        return findings;
      },
      { patience: 'stream', isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}

/** Records whose key also stands on a platform where their object has no record. */
async function ambiguous(
  store: Store,
  customerId: string,
  entityType: StoredEntityType,
): Promise<readonly Finding[]> {
  const rows = await store.query<{
    canonical_id: string;
    platform: PlatformName;
    platform_id: string;
    number: string;
    others: string;
  }>(
    `select r.canonical_id, r.platform, r.platform_id, r.number,
       string_agg(other.platform || ' ' || other.platform_id, ', ' order by other.platform, other.native_order) as others
     from platform_records r
     join platform_records other on other.customer_id = $1 and other.entity_type = $2
       and other.business_key = r.business_key and other.platform <> r.platform
     where r.customer_id = $1 and r.entity_type = $2 and not exists (
       select 1 from platform_records linked
       where linked.customer_id = $1 and linked.canonical_id = r.canonical_id and linked.platform = other.platform
     )
     group by r.canonical_id, r.platform, r.platform_id, r.number, r.native_order
     order by r.platform, r.native_order`,
    [customerId, entityType],
  );
  const field = keyFieldsOf(entityType).join(' or ');
  return rows.map(({ number, others, ...record }) => ({
    kind: 'ambiguous',
    entity_type: entityType,
    ...record,
    field,
    detail: `${JSON.stringify(number)} also stands on ${others}`,
  }));
}
