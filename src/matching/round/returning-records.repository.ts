import type { PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { parametersOf, staged, type MatchingRound } from './matching-round';
import type { RecordName } from '../rule/link-constraints';

/** A deleted record that its platform has again, and another record of the object that it had. */
export interface ReturningRecord {
  readonly record: RecordName;
  readonly other: RecordName;
}

/** Returning records whose objects have records that standing decisions name. */
export async function returningToDecided(
  tx: CustomerTransaction,
  round: MatchingRound,
): Promise<readonly ReturningRecord[]> {
  const rows = await tx.query<{ platform_id: string; other_platform: PlatformName; other_id: string }>(
    returning,
    parametersOf(round),
  );
  return rows.map((row) => ({
    record: { platform: round.platform, platformId: row.platform_id },
    other: { platform: row.other_platform, platformId: row.other_id },
  }));
}

/** SQL conditions: a row of `deleted_records` as `d` belongs to the round, and its platform has it again. */
export const ofDeleted = 'd.customer_id = $1 and d.entity_type = $2 and d.platform = $3';
export const isRead = `exists (select 1 from staged_records s where ${staged('s')} and s.platform_id = d.platform_id)`;

const returning = `
  select d.platform_id, other.platform as other_platform, other.platform_id as other_id
  from deleted_records d
  join platform_records other
    on other.customer_id = $1 and other.entity_type = $2 and other.canonical_id = d.canonical_id
  join (
    select n.platform, n.platform_id from reconciliation_decisions n
    where n.customer_id = $1 and n.entity_type = $2 and n.withdrawn_at is null
    union
    select n.other_platform, n.other_platform_id from reconciliation_decisions n
    where n.customer_id = $1 and n.entity_type = $2 and n.withdrawn_at is null
  ) named on named.platform = other.platform and named.platform_id = other.platform_id
  where ${ofDeleted} and ${isRead}`;
