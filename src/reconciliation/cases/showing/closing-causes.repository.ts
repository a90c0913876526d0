import type { StoredReason } from '../../../terms/agreements/term-reason';
import type { CustomerTransaction } from '../../../database/transaction/store';
import type { ClosedBy } from '../../comparisons/case-parts';

/** What closed a case, and when, in UTC with microseconds. */
export interface Closing {
  readonly by: ClosedBy;
  readonly id: string;
  readonly at: string;
}

// A withdrawn decision remains the cause of the cases that it closed. Its withdrawal is the cause of those that were
// closed then.
const reasons = `
  select c.by || ' ' || c.id || ' ' || c.at as key,
    case when c.by = 'propagation' then p.reason when c.by = 'terms' then t.detail ->> 'reason'
      when d.withdrawn_at <= c.at::timestamptz then d.withdrawn_reason else d.reason end as reason,
    case when c.by = 'propagation' then p.decided_by when c.by = 'terms' then t.detail ->> 'decided_by'
      when d.withdrawn_at <= c.at::timestamptz then d.withdrawn_by else d.decided_by end as "decidedBy"
  from unnest($2::text[], $3::text[], $4::text[]) c (by, id, at)
  left join propagations p on p.customer_id = $1 and p.id = c.id::uuid and c.by = 'propagation'
  left join reconciliation_decisions d on d.customer_id = $1 and d.id = c.id::uuid and c.by = 'decision'
  left join changes t on t.customer_id = $1 and t.id = c.id::uuid and c.by = 'terms' and t.origin = 'terms'`;

/** The reasons of changes and decisions that closed cases, as a function of the closing. */
export async function readReasons(
  tx: CustomerTransaction,
  closings: readonly Closing[],
): Promise<(closing: Closing) => StoredReason> {
  const stated = new Map<string, StoredReason>();
  if (closings.length > 0) {
    const rows = await tx.query<StoredReason & { readonly key: string }>(reasons, [
      closings.map(({ by }) => by),
      closings.map(({ id }) => id),
      closings.map(({ at }) => at),
    ]);
    for (const { key, reason, decidedBy } of rows) stated.set(key, { reason, decidedBy });
  }
  return ({ by, id, at }) => stated.get(`${by} ${id} ${at}`) ?? { reason: null, decidedBy: null };
}
