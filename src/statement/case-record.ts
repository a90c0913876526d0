import { DAY_MS } from './ages';
import { caseDetailFrom } from './case-detail';
import type { CaseAnswer, CaseFacets, FacetCount } from './cases.answer';
import type { CaseRow } from './cases.repository';
import { moneySum } from './statement-record';

/**
 * A case as it is answered. Pure.
 *
 * @param currency of differences
 * @param asOf the moment from which its age counts back, in milliseconds
 */
export function caseFrom(row: CaseRow, currency: string, asOf: number): CaseAnswer {
  const openedAt = Number(row.opened) / 1000;
  return {
    id: row.id,
    kind: row.kind,
    entity_type: row.entity_type,
    canonical_id: row.object_id,
    project_id: row.project_id,
    platform: row.platform,
    field: row.field,
    difference: row.difference === null ? null : moneySum(BigInt(row.difference), currency),
    opened_at: new Date(openedAt).toISOString(),
    age_days: Math.max(0, Math.floor((asOf - openedAt) / DAY_MS)),
    ...caseDetailFrom(row.detail),
  };
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
    total: of('total')[0]?.count ?? 0,
  };
}
