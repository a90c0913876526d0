import { csvLine } from '../../common/csv/csv';
import { numberCell, timeCell, type CsvTable } from '../../common/csv/csv-file';
import type { DecisionCount } from '../../matching/decisions/decisions.repository';
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
export function decisionsFile({ asOf, counts, pages }: DecisionsOfFile): CsvTable {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return {
    title: 'reconciliation decisions',
    about: [
      ['as of', timeCell(asOf)],
      ['decisions', numberCell(total)],
      ...counts.map(({ decision, status, count }) => ['decisions', decision, status, numberCell(count)]),
    ],
    columns: COLUMNS,
    rows: rowsOf(pages),
  };
}

async function* rowsOf(pages: DecisionsOfFile['pages']): AsyncGenerator<string> {
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
    timeCell(one.decided_at),
    timeCell(one.withdrawn?.at ?? null),
    one.withdrawn?.by ?? null,
    one.withdrawn?.reason ?? null,
  ]);
}
