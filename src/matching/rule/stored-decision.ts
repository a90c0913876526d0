import type { ReconciliationDecisionRow } from '../../database/entities/reconciliation-decision.entity';
import type { RecordName } from './link-constraints';

/** A decision by a person, as it is stored. */
export interface StoredDecision extends Readonly<
  Pick<ReconciliationDecisionRow, 'id' | 'decision' | 'entityType' | 'reason' | 'decidedBy' | 'decidedAt'>
> {
  /** The record of the platform with precedence comes first. */
  readonly records: readonly [RecordName, RecordName];
  /** Of a decision that a person gave up after {@link SERVICE} had withdrawn it, the person, and when the person did. */
  readonly withdrawn: { readonly at: Date; readonly reason: string; readonly by: string } | null;
  /** Whether it ended with its records: present records with their native IDs may be those of another source. */
  readonly isOfFormerRecords: boolean;
}

/** Named as the one who withdrew a decision whose records another source has replaced. */
export const SERVICE = 'the service';

/** Its row, also as {@link columns} select it. */
export type DecisionRow = Readonly<Omit<ReconciliationDecisionRow, 'customerId'>>;

/** SQL for the columns of the table, whose alias is `d`. */
export const columns = `d.id, d.decision, d.entity_type as "entityType", d.platform, d.platform_id as "platformId",
  d.other_platform as "otherPlatform", d.other_platform_id as "otherPlatformId", d.reason, d.decided_by as "decidedBy",
  d.decided_at as "decidedAt", d.withdrawn_at as "withdrawnAt", d.withdrawn_reason as "withdrawnReason",
  d.withdrawn_by as "withdrawnBy", d.source, d.other_source as "otherSource", d.renewed_at as "renewedAt"`;

/** A row as a decision. */
export function decisionOf(row: DecisionRow): StoredDecision {
  const { id, decision, entityType, reason, decidedBy, decidedAt, withdrawnBy, renewedAt } = row;
  // It ended when the service withdrew it; the name and the reason are those of the person who gave it up since.
  const at = renewedAt !== null && withdrawnBy !== SERVICE ? renewedAt : row.withdrawnAt;
  return {
    id,
    decision,
    entityType,
    records: [
      { platform: row.platform, platformId: row.platformId },
      { platform: row.otherPlatform, platformId: row.otherPlatformId },
    ],
    reason,
    decidedBy,
    decidedAt,
    withdrawn: at === null ? null : { at, reason: row.withdrawnReason ?? '', by: withdrawnBy ?? '' },
    isOfFormerRecords: row.source !== null || row.otherSource !== null,
  };
}
