import { DAY_MS } from '../statement/figures/ages';
import { caseDetailFrom } from './case-detail';
import type { CaseResponse, CaseFacets, FacetCount } from './cases.response';
import type { CaseRow } from './cases.repository';
import { moneySum } from '../statement/statement-record';
import type { CaseAcceptance } from '../reviews/case-event.response';
import { isAccepted, timeOfMilliseconds, type Acceptance, type Review } from '../reviews/review';

/**
 * A case in its public form. Pure.
 *
 * @param currency of differences
 * @param asOf the moment from which its age is computed, in milliseconds
 * @param review in force at that moment
 * @param list the containing list: the cases of a project, or all; undefined for a single case
 */
export function caseFrom(
  row: CaseRow,
  currency: string,
  asOf: number,
  { owner, acceptance }: Review,
  list?: 'project' | 'all',
): CaseResponse {
  const [openedAt, agedAt] = [Number(row.opened) / 1000, Number(row.aged) / 1000];
  const detail = caseDetailFrom(row.detail);
  const accepted =
    row.closed_at === null && isAccepted(acceptance, row.values_digest, timeOfMilliseconds(asOf))
      ? acceptance
      : null;
  // Records of two projects are only compared in a statement of all projects.
  const counts =
    list === undefined ||
    detail.projects === undefined ||
    (list === 'project') === (row.kind === 'other_project');
  return {
    id: row.id,
    kind: row.kind,
    entity_type: row.entity_type,
    canonical_id: row.object_id,
    project_id: row.project_id,
    platform: row.platform,
    field: row.field,
    difference: row.difference === null || !counts ? null : moneySum(BigInt(row.difference), currency),
    opened_at: new Date(openedAt).toISOString(),
    age_days: Math.max(0, Math.floor((asOf - agedAt) / DAY_MS)),
    document_date: row.document_date,
    due_date: row.due_date,
    state: row.closed_at !== null ? 'closed' : accepted === null ? 'open' : 'accepted',
    closed_at: row.closed_at,
    closed_by: row.closed_by === null ? null : { type: row.closed_by, id: row.closed_by_id },
    owner,
    accepted: accepted && acceptanceShown(accepted),
    ...detail,
  };
}

/** An acceptance in its public form. */
export function acceptanceShown({ reason, decidedBy, at, until }: Acceptance): CaseAcceptance {
  return { reason, decided_by: decidedBy, at, until };
}

/** Counts of cases as they are answered. */
export function facetsFrom(
  rows: readonly { readonly facet: string; readonly value: string; readonly count: number }[],
): CaseFacets {
  const of = (facet: string): readonly FacetCount[] =>
    rows.filter((row) => row.facet === facet).map(({ value, count }) => ({ value, count }));
  return {
    kind: of('kind'),
    entity_type: of('entity_type'),
    field: of('field'),
    project_id: of('project_id'),
    age: of('age'),
    state: of('state'),
    owner: of('owner'),
    total: of('total')[0]?.count ?? 0,
  };
}
