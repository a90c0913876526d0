import { stringifyJson } from '@app/mapper';
import type { ComparedResult, DatedCase } from '../../comparisons/compared-rows';
import type { ReviewMark } from '../../annotations/case-reviews.repository';
import { isAccepted } from '../../annotations/review';
import { agedFrom, openedBetween, type AgeBy } from '../../statement/figures/ages';
import { weightOf, type CaseState } from '../../comparisons/case-parts';
import type { CaseFilter } from './case-relation';
import type { CaseRow } from './case-row';

/** A case of an object whose records were compared as they were at a time. */
export type PastRow = CaseRow & {
  readonly left_currency: string | null;
  readonly right_currency: string | null;
  readonly listed_from: string | null;
  readonly listed_before: string | null;
  readonly owner: string | null;
  readonly state: Extract<CaseState, 'open' | 'accepted'>;
};

/** The cases of an object as they would be stored. */
export function pastRowsOf(
  { object, cases }: ComparedResult,
  by: AgeBy,
  marks: ReadonlyMap<string, ReviewMark>,
  time: string,
): readonly PastRow[] {
  return cases.map((one: DatedCase) => ({
    owner: marks.get(one.id)?.owner ?? null,
    state: isAccepted(marks.get(one.id), one.valuesDigest, time) ? 'accepted' : 'open',
    values_digest: one.valuesDigest,
    id: one.id,
    object_id: object.id,
    kind: one.kind,
    entity_type: object.entityType,
    left_platform: one.left,
    right_platform: one.right,
    platform: one.platform,
    platform_id: one.platformId,
    field: one.field,
    project_id: one.projectId,
    left_currency: one.leftCurrency,
    right_currency: one.rightCurrency,
    difference: one.difference === null ? null : String(one.difference),
    weight: weightOf(one.difference),
    opened: String(one.openedAt),
    aged: agedOf(one, by),
    document_date: one.documentDate,
    due_date: one.dueDate,
    listed_from: one.listedFrom,
    listed_before: one.listedBefore,
    closed_at: null,
    closed_by: null,
    closed_by_id: null,
    detail: stringifyJson(one.detail),
  }));
}

/** From when the age of a case counts, in microseconds. */
function agedOf({ openedAt, documentDate: date, dueDate: due }: DatedCase, by: AgeBy): string {
  // A day is a whole number of milliseconds.
  const from = agedFrom(by, openedAt / 1000, { date, due });
  return from === openedAt / 1000 ? String(openedAt) : String(BigInt(from) * 1000n);
}

/** Whether a case passes a filter, equal to the database's filter for stored cases. */
export function isWanted(row: PastRow, filter: CaseFilter, asOf: number): boolean {
  const { left, right, kind, entityType, platform, projectId, field, currency, age, through, state, owner } =
    filter;
  const sides = [row.left_platform, row.right_platform];
  const concerns =
    row.left_platform === row.right_platform
      ? sides.includes(left) || sides.includes(right)
      : row.left_platform === left && row.right_platform === right;
  const between = age && openedBetween(age, asOf);
  const aged = Number(row.aged);
  return (
    concerns &&
    (through === undefined
      ? row.listed_before === null
      : (row.listed_from === null || row.listed_from <= through) &&
        (row.listed_before === null || row.listed_before > through)) &&
    (kind === undefined || row.kind === kind) &&
    (entityType === undefined || row.entity_type === entityType) &&
    (platform === undefined || row.platform === platform) &&
    (projectId === undefined || row.project_id === projectId) &&
    (field === undefined || row.field === field) &&
    (state === 'all' || row.state === state) &&
    (owner === undefined || row.owner === owner) &&
    (currency === undefined || row.left_currency === currency || row.right_currency === currency) &&
    (between?.after === undefined || aged > between.after * 1000) &&
    (between?.until === undefined || aged <= between.until * 1000)
  );
}
