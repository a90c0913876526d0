import { assembleObject, isJsonObject, ownMember, sameJson, type JsonObject } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { loadObjects } from '../../records/stored-objects';
import { loadTerms } from '../../records/terms/terms.repository';
import { objectIn } from './stored-object';

/**
 * Marks a change as decided when none of its commands is open, and stores which fields it changed: none if no
 * platform accepted it. If a later change of the object exists, the stored fields stay as they are, because the
 * present object proves nothing about this change.
 */
export async function closeIfDecided(tx: CustomerTransaction, propagationId: string): Promise<void> {
  const [row] = await tx.query<{
    canonical_id: string;
    outcome: string;
    intent: string | null;
    has_later: boolean;
  }>(
    `update propagations p set decided_at = now()
     where p.customer_id = $1 and p.id = $2 and p.decided_at is null and not exists (
       select 1 from outbox_commands where customer_id = $1 and propagation_id = $2 and decided_at is null)
     returning p.canonical_id, p.outcome::text as outcome, p.intent::text as intent, exists (
       select 1 from propagations l
       where l.customer_id = $1 and l.canonical_id = p.canonical_id and l.created_at > p.created_at) as has_later`,
    [propagationId],
  );
  if (row === undefined) return;
  const before = row.intent === null ? undefined : beforeIn(row.intent);
  const taken = Object.values(objectIn(row.outcome)).some(
    (one) => isJsonObject(one) && (one.status === 'applied' || one.status === 'unchanged'),
  );
  if (taken && (before === undefined || row.has_later)) return;
  const fields = taken ? await changedSince(tx, row.canonical_id, before ?? {}) : [];
  if (fields === undefined) return;
  await tx.query(`update propagations set updated_fields = $3 where customer_id = $1 and id = $2`, [
    propagationId,
    JSON.stringify(fields),
  ]);
}

/** The fields that a change touched, with their earlier values; undefined if there are none. */
export function beforeIn(intent: string): JsonObject | undefined {
  const before = ownMember(objectIn(intent), 'before');
  return isJsonObject(before) ? before : undefined;
}

/** The fields whose values differ from the earlier ones. */
export function changedFields(object: JsonObject, before: JsonObject): readonly string[] {
  return Object.keys(before).filter(
    (field) => !sameJson(ownMember(object, field) ?? null, ownMember(before, field) ?? null),
  );
}

async function changedSince(
  tx: CustomerTransaction,
  canonicalId: string,
  before: JsonObject,
): Promise<readonly string[] | undefined> {
  const [object] = await loadObjects(tx, [canonicalId]);
  if (object === undefined) return undefined;
  return changedFields(assembleObject(object, await loadTerms(tx)).object, before);
}
