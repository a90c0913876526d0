import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { timeText } from '../../../database/transaction/time-text';
import { isText } from '../../../common/paging/sort-keys';
import { casesIn } from '../../comparisons/stored/case-relations.repository';
import type { CaseRecord } from '../cases.response';
import type { OpenPeriod } from './case-history';
import type { CaseRow } from '../listing/case-row';
import { columnsBy } from '../listing/cases.repository';

const oneCase = `
  select ${columnsBy('seen')} from (
    select * from ${casesIn('open')} o where o.id = $2
    union all
    select * from ${casesIn('closed')} v where v.id = $2
  ) c`;

/** One case, open or closed; undefined if there is none with this ID. */
export async function findCase(tx: CustomerTransaction, id: string): Promise<CaseRow | undefined> {
  if (!isText(id)) return undefined;
  const [row] = await tx.query<CaseRow>(oneCase, [id]);
  return row;
}

/** Cases by ID. */
export interface NamedCases {
  /** The digest of the values of each open case; null if a former release made its row. */
  readonly open: ReadonlyMap<string, string | null>;
  readonly closed: ReadonlySet<string>;
}

/** Which of some cases are open, and which are closed. Others do not exist. */
export async function casesNamed(tx: CustomerTransaction, ids: readonly string[]): Promise<NamedCases> {
  const named = [ids.filter((id) => isText(id))];
  const [open, closed] = await Promise.all([
    tx.query<{ id: string; values_digest: string | null }>(
      'select c.id, c.values_digest from comparison_cases c where c.customer_id = $1 and c.id = any ($2::text[])',
      named,
    ),
    tx.query<{ id: string }>(
      `select distinct v.id from case_versions v
       where v.customer_id = $1 and v.id = any ($2::text[]) and v.closed_at is not null`,
      named,
    ),
  ]);
  return {
    open: new Map(open.map((row) => [row.id, row.values_digest])),
    closed: new Set(closed.map(({ id }) => id)),
  };
}

/** The last times for which a case was open, newest first. */
export function openPeriods(
  tx: CustomerTransaction,
  id: string,
  most: number,
): Promise<readonly OpenPeriod[]> {
  return tx.query<OpenPeriod>(
    `select ${timeText('p.opened_at')} as opened_at, ${timeText('p.closed_at')} as closed_at, p.closed_by, p.closed_by_id
     from (
       select o.opened_at, o.closed_at, o.closed_by, o.closed_by_id from ${casesIn('open')} o where o.id = $2
       union all
       select v.opened_at, v.closed_at, v.closed_by, v.closed_by_id from case_versions v
       where v.customer_id = $1 and v.id = $2 and v.closed_at is not null
     ) p order by p.closed_at desc nulls first limit $3`,
    [id, most],
  );
}

const objectsSql = `
  select r.platform, r.platform_id, r.canonical_id from unnest($3::text[], $4::text[]) n (platform, platform_id)
  join platform_records r on r.customer_id = $1 and r.platform = n.platform and r.entity_type = $2
    and r.platform_id = n.platform_id`;

/**
 * The canonical ID that the object of each of some records has now. The records of a case that is closed may belong to
 * another object than they did then.
 *
 * @returns undefined for a record that is gone
 */
export async function objectsOfRecords(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  records: readonly CaseRecord[],
): Promise<(record: CaseRecord) => string | undefined> {
  const nameOf = (platform: PlatformName, id: string): string => `${platform} ${id}`;
  const rows = await tx.query<CaseRecord & { readonly canonical_id: string }>(objectsSql, [
    entityType,
    records.map(({ platform }) => platform),
    records.map(({ platform_id: id }) => id),
  ]);
  const ids = new Map(rows.map((row) => [nameOf(row.platform, row.platform_id), row.canonical_id]));
  return (record) => ids.get(nameOf(record.platform, record.platform_id));
}
