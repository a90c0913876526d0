import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { CaseKind } from '../../../records/events/case-kinds';
import type { ClosedBy } from '../../comparisons/case-parts';

/** A case as it is stored. */
export interface CaseRow {
  readonly id: string;
  readonly object_id: string;
  readonly kind: CaseKind;
  readonly entity_type: StoredEntityType;
  readonly left_platform: PlatformName;
  readonly right_platform: PlatformName;
  readonly platform: PlatformName | null;
  readonly platform_id: string | null;
  readonly field: string | null;
  readonly project_id: string | null;
  readonly difference: string | null;
  readonly weight: string;
  /** Microseconds since 1970. */
  readonly opened: string;
  /** From when its age counts, in microseconds since 1970. */
  readonly aged: string;
  /** `YYYY-MM-DD`. */
  readonly document_date: string | null;
  readonly due_date: string | null;
  /** In UTC, with microseconds; null while it is open. */
  readonly closed_at: string | null;
  readonly closed_by: ClosedBy | null;
  readonly closed_by_id: string | null;
  /** Digest of its values, which is its version; null if a former release made the row. */
  readonly values_digest: string | null;
  /** JSON text. */
  readonly detail: string;
}

/** Maximum bytes of stored details of a page of cases. Its first case is always included. */
export const CASE_BYTES = 2 * 1024 * 1024;

/** A case of a page. A case that did not fit has no detail and only shows that there is more. */
export type ListedCaseRow = CaseRow | (Omit<CaseRow, 'detail'> & { readonly detail: null });

/** Whether a case of a page is complete. */
export function isWhole(row: ListedCaseRow): row is CaseRow {
  return row.detail !== null;
}
