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
import { objectFrom } from '../records/copy-rows';
import { listingStart, readListingPage, type ListingPage } from '../records/listing-page';
import { termsFrom } from '../terms/terms-text';
import { findingsIn, type Finding } from './findings';

/** Few, since each is compared with all records that have its key. */
const KEYS_PER_PAGE = 50;
/** Namesakes that a finding lists by name. */
const NAMED = 20;

/** Lists what reconciling left for people to decide. */
@Injectable()
export class ReconciliationService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Every finding about a customer's records, type by type, page by page. Each page is a short read of its own, of the
   * records at that moment. All findings are never held at once. They follow from the records and are not stored, so they
   * are never out of date.
   *
   * @returns pages of findings, some of them empty; at least one
   * @throws ApiError NOT_FOUND without such a customer, before the first page
   */
  async *list(customerId: string): AsyncGenerator<readonly Finding[], void, undefined> {
    await this.read(customerId, (store) => getCustomer(store, customerId));
    yield [];
    for (const entityType of storedEntityTypes) {
      for (const platform of platformNames) {
        const read = <Row extends object>(sql: string, parameters: readonly unknown[]): Promise<Row[]> =>
          this.unitOfWork.read<Row>(sql, parameters, { patience: 'bulk', customerId });
        let from: ListingPage['next'] = listingStart;
        while (from !== undefined) {
          const page: ListingPage = await readListingPage(read, { customerId, platform, entityType }, from);
          const terms = termsFrom(page.terms);
          // An object counts once: with the record that comes first.
          yield page.records
            .map(({ rows }) => objectFrom(rows))
            .filter(({ copies }) => copies[0]?.platform === platform)
            .flatMap((object) => findingsIn(object, terms));
          from = page.next;
        }
      }
      for (const platform of platformNames) {
        let position: Position | undefined;
        do {
          const after = position;
          const page = await this.read(customerId, (store) =>
            ambiguousPage(store, customerId, platform, entityType, after),
          );
          yield page.findings;
          position = page.next;
        } while (position !== undefined);
      }
    }
  }

  private read<T>(customerId: string, work: (store: Store) => Promise<T>): Promise<T> {
    return this.unitOfWork.run(work, {
      patience: 'bulk',
      isolation: 'REPEATABLE READ',
      readOnly: true,
      customerId,
    });
  }
}

type Position = Pick<NonNullable<ListingPage['next']>, 'nativeOrder' | 'platformId'>;

interface AmbiguousRow {
  readonly canonical_id: string;
  readonly platform_id: string;
  readonly native_order: string;
  readonly number: string | null;
  readonly others: readonly string[] | null;
}

// A page of keyed records; `others` are records of their key on platforms where their objects have none.
const ambiguousRows = `
  select page.canonical_id, page.platform_id, page.native_order, page.number, (
    select array_agg(named.other) from (
      select other.platform || ' ' || other.platform_id as other from platform_records other
      where other.customer_id = $1 and other.entity_type = $3 and other.platform = any ($7::text[])
        and other.business_key = page.business_key and other.platform <> $2
        and not exists (
          select 1 from platform_records linked
          where linked.customer_id = $1 and linked.canonical_id = page.canonical_id and linked.platform = other.platform
        )
      order by array_position($7::text[], other.platform), other.native_order
      limit ${NAMED + 1}
    ) named
  ) as others
  from (
    select r.canonical_id, r.platform_id, r.native_order, r.number, r.business_key from platform_records r
    where r.customer_id = $1 and r.platform = $2 and r.entity_type = $3 and r.business_key is not null
      and (r.native_order, r.platform_id) > ($4, $5)
    order by r.native_order, r.platform_id
    limit $6
  ) page
  order by page.native_order, page.platform_id`;

/** Records whose key also occurs on a platform where their object has no record. */
async function ambiguousPage(
  store: Store,
  customerId: string,
  platform: PlatformName,
  entityType: StoredEntityType,
  after: Position | undefined,
): Promise<{ readonly findings: readonly Finding[]; readonly next: Position | undefined }> {
  const rows = await store.query<AmbiguousRow>(ambiguousRows, [
    customerId,
    platform,
    entityType,
    after?.nativeOrder ?? '',
    after?.platformId ?? '',
    KEYS_PER_PAGE,
    platformNames,
  ]);
  const field = keyFieldsOf(entityType).join(' or ');
  const findings = rows.flatMap(({ canonical_id, platform_id, number, others }): Finding[] =>
    others === null
      ? []
      : [
          {
            kind: 'ambiguous',
            entity_type: entityType,
            canonical_id,
            platform,
            platform_id,
            field,
            detail: `${JSON.stringify(number)} also stands on ${namesOf(others)}`,
          },
        ],
  );
  const last = rows.length === KEYS_PER_PAGE ? rows.at(-1) : undefined;
  return {
    findings,
    next: last && { nativeOrder: last.native_order, platformId: last.platform_id },
  };
}

function namesOf(others: readonly string[]): string {
  const named = others.slice(0, NAMED).join(', ');
  return others.length > NAMED ? `${named} and more` : named;
}
