import type { CustomerTransaction } from '../../database/transaction/store';
import { stillUnderWay } from '../../records/lock-conflict';

/**
 * Refuses a decision while writes to its objects are open, because each write was planned for the records that its
 * object had. A write to a record that refers to one of the `left` objects would store the wrong reference.
 *
 * @param objects objects that a record enters or leaves, or that are merged
 * @param left objects that records leave
 * @throws ApiError CONFLICT_ERROR
 */
export async function refuseOpenCommands(
  tx: CustomerTransaction,
  objects: readonly string[],
  left: readonly string[],
): Promise<void> {
  if (objects.length === 0) return;
  const [open] = await tx.query<{ canonical_id: string; platform: string; status: string }>(
    `select c.canonical_id, c.platform, c.status from outbox_commands c
     where c.customer_id = $1 and c.decided_at is null and (
       c.canonical_id = any ($2::text[])
       or exists (select 1 from unnest($3::text[]) as gone (id) where c.recording::text like '%"' || gone.id || '"%')
     )
     order by c.seq limit 1`,
    [objects, left],
  );
  if (open === undefined) return;
  throw stillUnderWay(
    `A change of ${open.canonical_id} is not yet through on ${open.platform} (${open.status}); decide when it is`,
  );
}
