import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import type { StagedReading } from './round';
import type { Survey } from './survey';

/**
 * Keeps one copy of each record that a run has read, because paging over a changing list shows a record twice. The
 * choice must not depend on the order of the copies: the copy with the latest change stays, and for equal times the
 * texts decide.
 *
 * A copy that equals the stored record is not staged. It is the stored record itself, so an older staged copy is
 * removed too.
 */
export async function keepNewestCopies(
  tx: CustomerTransaction,
  { runId, platform }: StagedReading,
  { anyTwice }: Survey,
): Promise<void> {
  if (anyTwice) await tx.query(dropOlder, [runId]);
  const [seen] = await tx.query(anySeen, [runId]);
  if (seen !== undefined) await tx.query(dropOlderThanStored, [runId, platform]);
}

// Times are UTC with as many decimals as there are; without the Z, which sorts behind all digits, a longer fraction is a
// later one. A record without a time counts as the oldest.
const time = (alias: string) => `coalesce(rtrim(${alias}.modified_at, 'Z'), '')`;

const anySeen = 'select 1 from staged_sightings where customer_id = $1 and run_id = $2 limit 1';

const dropOlder = `
  delete from staged_records s
  using (
    select r.entity_type, r.seq, row_number() over (
      partition by r.entity_type, r.platform_id
      order by ${time('r')} desc, r.payload::text collate "C" desc, r.variant, r.seq
    ) as rank
    from staged_records r
    join (
      select entity_type, platform_id from staged_records
      where customer_id = $1 and run_id = $2 group by entity_type, platform_id having count(*) > 1
    ) twice on twice.entity_type = r.entity_type and twice.platform_id = r.platform_id
    where r.customer_id = $1 and r.run_id = $2
  ) copies
  where s.customer_id = $1 and s.run_id = $2 and s.entity_type = copies.entity_type and s.seq = copies.seq
    and copies.rank > 1`;

const dropOlderThanStored = `
  delete from staged_records s
  using (
    select distinct u.entity_type, unnest(u.platform_ids) as platform_id from staged_sightings u
    where u.customer_id = $1 and u.run_id = $2
  ) seen, platform_records r
  where s.customer_id = $1 and s.run_id = $2 and s.entity_type = seen.entity_type and s.platform_id = seen.platform_id
    and r.customer_id = $1 and r.platform = $3 and r.entity_type = s.entity_type and r.platform_id = s.platform_id
    and (
      ${time('r')} > ${time('s')}
      or ${time('r')} = ${time('s')} and (
        r.payload::text collate "C" > s.payload::text collate "C"
        or r.payload::text = s.payload::text and r.variant is not null and (s.variant is null or r.variant < s.variant)
      )
    )`;
