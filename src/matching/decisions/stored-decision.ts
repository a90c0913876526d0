import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { RecordName, DecisionKind } from '../rule/link-constraints';

/** A decision by a person, as it is stored. */
export interface StoredDecision {
  readonly id: string;
  readonly decision: DecisionKind;
  readonly entityType: StoredEntityType;
  /** The record of the platform with precedence comes first. */
  readonly records: readonly [RecordName, RecordName];
  readonly reason: string;
  readonly decidedBy: string;
  readonly decidedAt: Date;
  readonly withdrawn: { readonly at: Date; readonly reason: string; readonly by: string } | null;
}

/** Its row, as {@link columns} select it. */
export interface DecisionRow {
  readonly id: string;
  readonly decision: DecisionKind;
  readonly entity_type: StoredEntityType;
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly other_platform: PlatformName;
  readonly other_platform_id: string;
  readonly reason: string;
  readonly decided_by: string;
  readonly decided_at: Date;
  readonly withdrawn_at: Date | null;
  readonly withdrawn_reason: string | null;
  readonly withdrawn_by: string | null;
}

/** What is read of the table with the alias `d`. */
export const columns = `d.id, d.decision, d.entity_type, d.platform, d.platform_id, d.other_platform, d.other_platform_id, d.reason,
  d.decided_by, d.decided_at, d.withdrawn_at, d.withdrawn_reason, d.withdrawn_by`;

/** A row as a decision. */
export function decisionOf(row: DecisionRow): StoredDecision {
  return {
    id: row.id,
    decision: row.decision,
    entityType: row.entity_type,
    records: [
      { platform: row.platform, platformId: row.platform_id },
      { platform: row.other_platform, platformId: row.other_platform_id },
    ],
    reason: row.reason,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
    withdrawn:
      row.withdrawn_at === null
        ? null
        : { at: row.withdrawn_at, reason: row.withdrawn_reason ?? '', by: row.withdrawn_by ?? '' },
  };
}
