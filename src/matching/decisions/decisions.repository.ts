import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { RecordName } from '../rule/link-constraints';
import { ForbiddenTransition } from '../../database/state-machine';
import {
  columns,
  decisionOf,
  decisionStates,
  type DecisionRow,
  type StoredDecision,
} from './stored-decision';

/** Stores a decision that stands from a time on. */
export async function insertDecision(
  tx: CustomerTransaction,
  { id, decision, entityType, records, reason, decidedBy }: Omit<StoredDecision, 'decidedAt' | 'withdrawn'>,
  at: string,
): Promise<StoredDecision> {
  const [one, other] = records;
  const rows = await tx.query<DecisionRow>(
    `insert into reconciliation_decisions as d (customer_id, id, decision, entity_type, platform, platform_id,
       other_platform, other_platform_id, reason, decided_by, decided_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::timestamptz) returning ${columns}`,
    [
      id,
      decision,
      entityType,
      one.platform,
      one.platformId,
      other.platform,
      other.platformId,
      reason,
      decidedBy,
      at,
    ],
  );
  return only(rows);
}

/**
 * Ends a decision, and keeps it.
 *
 * @throws ForbiddenTransition when it is withdrawn already
 */
export async function markWithdrawn(
  tx: CustomerTransaction,
  id: string,
  { reason, by, at }: { readonly reason: string; readonly by: string; readonly at: string },
): Promise<StoredDecision> {
  const rows = await tx.query<DecisionRow>(
    `with withdrawn as (
       update reconciliation_decisions set withdrawn_at = $3::timestamptz, withdrawn_reason = $4, withdrawn_by = $5
       where customer_id = $1 and id = $2 and ${decisionStates.before('withdrawn')} returning *
     ) select ${columns} from withdrawn d`,
    [id, at, reason, by],
  );
  if (rows.length === 0) throw new ForbiddenTransition(`Decision ${id}`, 'withdrawn');
  return only(rows);
}

function only(rows: readonly DecisionRow[]): StoredDecision {
  const [row] = rows;
  if (row === undefined) throw new Error('A decision that was written is not there');
  return decisionOf(row);
}

/** A decision by its ID. */
export async function findDecision(tx: CustomerTransaction, id: string): Promise<StoredDecision | undefined> {
  const [row] = await tx.query<DecisionRow>(
    `select ${columns} from reconciliation_decisions d where d.customer_id = $1 and d.id = $2`,
    [id],
  );
  return row && decisionOf(row);
}

/** The decision about a pair that stands. */
export async function findStanding(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  [one, other]: readonly [RecordName, RecordName],
): Promise<StoredDecision | undefined> {
  const [row] = await tx.query<DecisionRow>(
    `select ${columns} from reconciliation_decisions d
     where d.customer_id = $1 and d.entity_type = $2 and d.platform = $3 and d.platform_id = $4
       and d.other_platform = $5 and d.other_platform_id = $6 and d.withdrawn_at is null`,
    [entityType, one.platform, one.platformId, other.platform, other.platformId],
  );
  return row && decisionOf(row);
}
