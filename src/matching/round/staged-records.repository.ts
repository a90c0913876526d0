import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { StagedReading } from './matching-round';
import type { Survey } from './staging-survey.repository';

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

// Times are texts in UTC with any number of decimals. Without the Z, which sorts after all digits, a longer fraction is
// a later time. A record without a time counts as the oldest.
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

/** Stages records: lines of COPY, each with the customer's ID. */
export function copyStaged(
  tx: CustomerTransaction,
  columns: readonly string[],
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  return tx.copyIn(`copy staged_records (${columns.join(', ')}) from stdin`, chunks);
}

/** Records which records a run has read that equal the stored ones. @param seq how many records were read so far */
export async function insertSightings(
  tx: CustomerTransaction,
  runId: string,
  entityType: StoredEntityType,
  seq: number,
  platformIds: readonly string[],
): Promise<void> {
  await tx.query(
    `insert into staged_sightings (customer_id, run_id, entity_type, seq, platform_ids) values ($1, $2, $3, $4, $5)`,
    [runId, entityType, seq, platformIds],
  );
}

/** Whether a run has staged at least so many records. */
export async function hasStaged(tx: CustomerTransaction, runId: string, atLeast = 1): Promise<boolean> {
  const staged = await tx.query(
    'select 1 from staged_records where customer_id = $1 and run_id = $2 limit $3',
    [runId, atLeast],
  );
  return staged.length >= atLeast;
}

/** Deletes the staged records of a run, or of all runs of the customer if none is named. */
export async function deleteStagedRecords(tx: CustomerTransaction, runId?: string): Promise<void> {
  const [which, parameters] = runId === undefined ? ['', []] : ['and run_id = $2', [runId]];
  for (const table of ['staged_records', 'staged_sightings']) {
    await tx.query(`delete from ${table} where customer_id = $1 ${which}`, parameters);
  }
}
