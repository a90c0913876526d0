import { platformNames, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import type { StandingDecisions } from '../standing';
import { loadConstraints } from './link-constraints.repository';
import type { DecisionContext } from './decision-context';
import { rematch } from './rematch';
import { membersOf } from './scope.repository';

/**
 * Matches anew, with three platforms or more, the objects that decisions concern. Which of two records a third one belongs to
 * is a matter of precedence, and it may have been read before the others. With two platforms no third one is there. Comes
 * behind a reading, when nothing of it is staged any more.
 */
export async function reconsiderDecided(
  tx: CustomerTransaction,
  context: DecisionContext,
  standing: ReadonlyMap<StoredEntityType, StandingDecisions>,
): Promise<void> {
  if (platformNames.length < 3) return;
  for (const entityType of standing.keys()) {
    const rows = await tx.query<{ canonical_id: string }>(concerned, [entityType]);
    const objects = rows.map(({ canonical_id: id }) => id);
    if (objects.length === 0) continue;
    const scope = { customerId: context.customerId, entityType, changeId: context.cause.id };
    const constraints = await loadConstraints(tx, entityType, await membersOf(tx, scope, objects));
    await rematch(tx.store, context, entityType, objects, constraints);
  }
}

const concerned = `
  select distinct r.canonical_id from (
    select d.platform, d.platform_id from reconciliation_decisions d
    where d.customer_id = $1 and d.entity_type = $2 and d.withdrawn_at is null
    union
    select d.other_platform, d.other_platform_id from reconciliation_decisions d
    where d.customer_id = $1 and d.entity_type = $2 and d.withdrawn_at is null
  ) named
  join platform_records r on r.customer_id = $1 and r.platform = named.platform and r.entity_type = $2
    and r.platform_id = named.platform_id`;
