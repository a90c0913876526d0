import { csvLine } from '../../common/csv/csv';
import { headLines, numberCell, type FileHead } from '../../common/csv/csv-file';
import type { DecisionCount } from '../../matching/decisions/listed-decisions.repository';
import type { MatchingDecision } from './decisions.response';

/** All decisions of a list, with the head lines of the file. */
export interface DecisionsOfFile {
  /** ISO 8601. */
  readonly asOf: string;
  readonly counts: readonly DecisionCount[];
  readonly pages: AsyncIterable<readonly MatchingDecision[]>;
}

const COLUMNS = [
  'id',
  'status',
  'decision',
  'entity_type',
  'platform',
  'platform_id',
  'canonical_id',
  'other_platform',
  'other_platform_id',
  'other_canonical_id',
  'reason',
  'decided_by',
  'decided_at',
  'withdrawn_at',
  'withdrawn_by',
  'withdrawn_reason',
] as const;

/** Decisions as CSV. */
export async function* decisionsFile(
  head: FileHead,
  { asOf, counts, pages }: DecisionsOfFile,
): AsyncGenerator<string> {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  yield headLines('reconciliation decisions', head, [
    ['as of', { plain: asOf }],
    ['decisions', numberCell(total)],
    ...counts.map(({ decision, status, count }) => ['decisions', decision, status, numberCell(count)]),
  ]);
  yield csvLine([]);
  yield csvLine([...COLUMNS]);
  for await (const page of pages) yield page.map(lineOf).join('');
}

function lineOf(one: MatchingDecision): string {
  return csvLine([
    one.id,
    one.status,
    one.decision,
    one.entity_type,
    ...one.records.flatMap(({ platform, platform_id, canonical_id }) => [
      platform,
      platform_id,
      canonical_id,
    ]),
    one.reason,
    one.decided_by,
    { plain: one.decided_at },
    one.withdrawn === null ? null : { plain: one.withdrawn.at },
    one.withdrawn?.by ?? null,
    one.withdrawn?.reason ?? null,
  ]);
}
