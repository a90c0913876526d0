import type { PlatformName, StoredEntityType } from '@app/mapper';
import { timeText } from '../../database/transaction/time-text';

/** Who a name is to a statement. */
export const signoffRoles = ['prepared', 'reviewed'] as const;
export type SignoffRole = (typeof signoffRoles)[number];

/** What a signed statement is about. */
export interface SignedScope {
  readonly platforms: readonly [PlatformName, PlatformName];
  /** Null for all types. */
  readonly entityType: StoredEntityType | null;
  /** Canonical ID at the time of the statement; null for all projects. */
  readonly projectId: string | null;
  readonly currency: string;
  /** The day up to which documents count, `YYYY-MM-DD`; null for all. */
  readonly through: string | null;
}

/** A name under the figures of a statement. Times are in UTC, with microseconds. */
export interface StoredSignoff extends SignedScope {
  readonly id: string;
  readonly role: SignoffRole;
  readonly digest: string;
  readonly asOf: string;
  readonly signedBy: string;
  /** The name in the form in which names are compared. */
  readonly signedByKey: string;
  readonly note: string | null;
  readonly signedAt: string;
  readonly withdrawn: { readonly at: string; readonly reason: string; readonly by: string } | null;
}

/** Its row, as {@link columns} select it. */
export interface SignoffRow {
  readonly id: string;
  readonly role: SignoffRole;
  readonly digest: string;
  readonly as_of: string;
  readonly left_platform: PlatformName;
  readonly right_platform: PlatformName;
  readonly entity_type: StoredEntityType | null;
  readonly project_id: string | null;
  readonly currency: string;
  readonly through: string | null;
  readonly signed_by: string;
  readonly signed_by_key: string;
  readonly note: string | null;
  readonly signed_at: string;
  readonly withdrawn_at: string | null;
  readonly withdrawn_reason: string | null;
  readonly withdrawn_by: string | null;
}

/** What is read of the table with the alias `s`. */
export const columns = `s.id, s.role, s.digest, ${timeText('s.as_of')} as as_of, s.left_platform, s.right_platform, s.entity_type,
  s.project_id, s.currency, to_char(s.through, 'YYYY-MM-DD') as through, s.signed_by, s.signed_by_key, s.note,
  ${timeText('s.signed_at')} as signed_at, ${timeText('s.withdrawn_at')} as withdrawn_at, s.withdrawn_reason, s.withdrawn_by`;

/** A row as a sign-off. */
export function signoffOf(row: SignoffRow): StoredSignoff {
  return {
    id: row.id,
    role: row.role,
    digest: row.digest,
    asOf: row.as_of,
    platforms: [row.left_platform, row.right_platform],
    entityType: row.entity_type,
    projectId: row.project_id,
    currency: row.currency,
    through: row.through,
    signedBy: row.signed_by,
    signedByKey: row.signed_by_key,
    note: row.note,
    signedAt: row.signed_at,
    withdrawn:
      row.withdrawn_at === null
        ? null
        : { at: row.withdrawn_at, reason: row.withdrawn_reason ?? '', by: row.withdrawn_by ?? '' },
  };
}
