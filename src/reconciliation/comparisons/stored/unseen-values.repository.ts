import type { CustomerTransaction } from '../../../database/transaction/store';
import { timeText } from '../../../database/transaction/time-text';
import { lastMarkOf } from './comparison-marks.repository';

/** An accepted case at a time of which no refresh knows: by the next refresh a record had another version again. */
export interface UnseenCase {
  readonly caseId: string;
  readonly objectId: string;
  /** When the version began; in UTC, with microseconds. */
  readonly at: string;
  /** The same in microseconds since 1970. */
  readonly since: string;
  /** The digest of the accepted values. */
  readonly values: string;
}

/** The latest versions of an object that are looked at, of those that no refresh knows. */
const LATEST = 50;

// An acceptance that is younger than a version is of what came after it. A version that ends after the mark may have ended
// before the refresh read its object; if it had not, the stored case has its values.
const unseen = `
  with passed as materialized (
    select v.canonical_id, v.since, dense_rank() over (partition by v.canonical_id order by v.since desc) as place
    from record_versions v
    where v.customer_id = $1 and v.since > $2::timestamptz and v.since <= $3::timestamptz
  )
  select distinct c.id as "caseId", c.object_id as "objectId", ${timeText('p.since')} as at,
    (extract(epoch from p.since) * 1000000)::bigint::text as since, r.accepted_values as values
  from passed p
  join comparison_cases c on c.customer_id = $1 and c.object_id = p.canonical_id and c.is_accepted
  join case_reviews r on r.customer_id = $1 and r.case_id = c.id and r.valid_until is null and r.accepted_at < p.since
  where p.place <= ${LATEST}`;

/**
 * The accepted cases of objects of which a record had versions that no refresh knows, at the begin of each of these
 * versions: they began between the last finished refresh and the mark, and have ended.
 *
 * @param mark of the present refresh, which has stored its cases
 */
export async function unseenCases(tx: CustomerTransaction, mark: string): Promise<readonly UnseenCase[]> {
  const last = await lastMarkOf(tx);
  return last === undefined ? [] : tx.query<UnseenCase>(unseen, [last, mark]);
}
