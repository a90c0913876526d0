import { stringifyJson, type PlatformName } from '@app/mapper';
import type { CaseResponse } from '../cases/case-by-kind.response';
import type { CaseDetail } from '../cases/showing/case-detail';
import type { CasePages } from '../cases/cases.service';
import { csvLine, type Cell } from '../../common/csv/csv';
import { moneyCells, numberCell, timeCell, type CsvTable } from '../../common/csv/csv-file';
import { ageGroups } from '../statement/figures/ages';
import type { MoneySum, StatementResponse, StatementType } from '../statement/statement.response';
import { ageWords, figureWords, lineWordsOf, wordsOfKind } from './file-words';

const STATEMENT_COLUMNS = [
  'entity_type',
  'line',
  'platform',
  'count',
  'amount',
  'currency',
  'figure',
] as const;

/**
 * A statement as CSV. Pure.
 *
 * @param project of the statement
 */
export function statementFile(statement: StatementResponse, project: NamedProject | undefined): CsvTable {
  return {
    title: 'reconciliation statement',
    about: [...aboutStatement(statement, project), ...rateLines(statement)],
    columns: STATEMENT_COLUMNS,
    rows: statement.types.flatMap((type) => typeLines(type, statement.platforms)),
  };
}

/** The rows of a type. The column `figure` names the place of a figure in the JSON of the type. */
function typeLines(
  { entity_type, counts, ages, totals }: StatementType,
  platforms: readonly PlatformName[],
): readonly string[] {
  const line = (
    figure: string,
    words: string,
    platform: PlatformName | null,
    count: number,
    sum?: MoneySum,
  ): string => csvLine([entity_type, words, platform, numberCell(count), ...moneyCells(sum ?? null), figure]);
  const onEach = (name: 'only_on' | 'deleted'): readonly string[] =>
    platforms.map((platform) =>
      line(`counts.${name}`, figureWords[name], platform, counts[name][platform] ?? 0),
    );
  const states = [
    line('counts.agree', figureWords.agree, null, counts.agree),
    line('counts.disagree', figureWords.disagree, null, counts.disagree),
    ...onEach('only_on'),
    line('counts.ambiguous', figureWords.ambiguous, null, counts.ambiguous),
    line('counts.accepted', figureWords.accepted, null, counts.accepted),
    ...onEach('deleted'),
    ...ageGroups.map((group) => line(`ages.${group}`, ageWords[group], null, ages[group])),
  ];
  if (totals === null) return states;
  const total = (name: 'from' | 'to'): string =>
    line(`totals.${name}`, figureWords[name], totals[name].platform, totals[name].summed, totals[name].sum);
  const causes = totals.lines.flatMap(({ cause, objects, amount, accepted }) => {
    const { words, platform } = lineWordsOf(cause, platforms);
    const figure = `totals.lines.${cause}`;
    const part = line(
      `${figure}.accepted`,
      figureWords.line_accepted,
      platform,
      accepted.objects,
      accepted.amount,
    );
    return [line(figure, words, platform, objects, amount), ...(accepted.objects > 0 ? [part] : [])];
  });
  return [
    ...states,
    total('from'),
    ...causes,
    total('to'),
    ...(['from', 'to'] as const).map((name) =>
      line(
        `totals.${name}.without_amount`,
        figureWords.without_amount,
        totals[name].platform,
        totals[name].without_amount,
      ),
    ),
    ...totals.outside.map(({ platform, records, sum }) =>
      line('totals.outside', figureWords.outside, platform, records, sum),
    ),
  ];
}

const CASE_COLUMNS = [
  'id',
  'description',
  'kind',
  'entity_type',
  'canonical_id',
  'project_id',
  'field',
  'records',
  'number',
  'amount',
  'amount_currency',
  'values',
  'stands',
  'why',
  'missing_on',
  'candidates',
  'problem',
  'difference',
  'currency',
  'opened_at',
  'age_days',
  'projects',
  'document_date',
  'due_date',
  'state',
  'closed_at',
  'closed_by',
  'closed_by_id',
  'owner',
  'accepted_reason',
  'accepted_by',
  'accepted_at',
  'accepted_until',
  'closed_reason',
  'closed_decided_by',
  'label',
  'counterparty',
  'project',
  'settled_by',
  'settled_field',
] as const;

/** Columns of one platform: the amount in the record's currency and as it was converted, the address, who may write. */
const PLATFORM_COLUMNS = [
  'amount',
  'currency',
  'converted',
  'converted_currency',
  'link',
  'writable',
] as const;

/**
 * All cases of a list as CSV, with the sums of their statement.
 *
 * @param project of the statement
 */
export function casesFile(
  statement: StatementResponse,
  project: NamedProject | undefined,
  { facets, pages }: CasePages,
): CsvTable {
  return {
    title: 'reconciliation cases',
    about: [
      ...aboutStatement(statement, project),
      ['cases', numberCell(facets.total)],
      ...facets.kind.map(({ value, count }) => ['cases', wordsOfKind(value), numberCell(count)]),
      ...statement.types.flatMap(({ entity_type, totals }) =>
        (totals === null ? [] : [totals.from, totals.to]).map(({ platform, sum }) => [
          'sum',
          `${entity_type} on ${platform}`,
          ...moneyCells(sum),
        ]),
      ),
      ...rateLines(statement),
    ],
    columns: [
      ...CASE_COLUMNS,
      ...statement.platforms.flatMap((platform) => PLATFORM_COLUMNS.map((column) => `${platform}_${column}`)),
    ],
    rows: caseLines(pages, statement.platforms),
  };
}

async function* caseLines(
  pages: CasePages['pages'],
  platforms: readonly PlatformName[],
): AsyncGenerator<string> {
  for await (const cases of pages) yield cases.map((one) => caseLine(one, platforms)).join('');
}

function caseLine(one: CaseResponse, platforms: readonly PlatformName[]): string {
  // Every kind has the same columns.
  const { number, amount, values, stands, why, missing_on, problem, projects }: CaseDetail = one;
  return csvLine([
    one.id,
    wordsOfKind(one.kind),
    one.kind,
    one.entity_type,
    one.canonical_id,
    one.project_id,
    one.field,
    one.records.map(({ platform, platform_id: id }) => `${platform} ${id}`).join('; '),
    number ?? null,
    ...moneyCells(amount ?? null),
    values === undefined
      ? null
      : Object.entries(values)
          .map(([platform, value]) => `${platform}: ${shown(value.native ?? value.canonical)}`)
          .join('; '),
    stands ?? null,
    why ?? null,
    missing_on ?? null,
    one.candidates.map(({ platform, platform_id: id }) => `${platform} ${id}`).join('; ') || null,
    problem ?? null,
    ...moneyCells(one.difference),
    timeCell(one.opened_at),
    numberCell(one.age_days),
    projects === undefined
      ? null
      : Object.entries(projects)
          .map(([platform, project]) => `${platform} ${project ?? 'unknown'}`)
          .join('; '),
    timeCell(one.document_date),
    timeCell(one.due_date),
    one.state,
    timeCell(one.closed_at),
    one.closed_by?.type ?? null,
    one.closed_by?.id ?? null,
    one.owner,
    one.accepted?.reason ?? null,
    one.accepted?.decided_by ?? null,
    timeCell(one.accepted?.at ?? null),
    timeCell(one.accepted?.until ?? null),
    one.closed_by?.reason ?? null,
    one.closed_by?.decided_by ?? null,
    one.label,
    one.counterparty,
    one.project?.name ?? null,
    one.settlement.by,
    one.settlement.field ?? null,
    ...platforms.flatMap((platform) => platformCells(one, platform)),
  ]);
}

function platformCells(
  { amounts, links, settlement }: CaseResponse,
  platform: PlatformName,
): readonly Cell[] {
  const amount = amounts[platform];
  const writable = settlement.writable[platform];
  return [
    ...moneyCells(amount?.native ?? null),
    ...moneyCells(amount?.converted ?? null),
    links[platform] ?? null,
    writable === true ? 'yes' : (writable ?? null),
  ];
}

/** A project, and what it is called. */
export interface NamedProject {
  readonly id: string;
  readonly name: string | null;
}

function aboutStatement(
  statement: StatementResponse,
  project: NamedProject | undefined,
): readonly (readonly Cell[])[] {
  return [
    ...(project === undefined ? [] : [['project', project.id, project.name]]),
    ['platforms', statement.platforms.join(' to ')],
    ['currency', statement.currency],
    ['as of', timeCell(statement.as_of)],
    ...(statement.through === null ? [] : [['through', timeCell(statement.through)]]),
    ['complete', statement.complete ? 'yes' : 'no'],
    ...statement.reasons.map(({ reason, detail }): Cell[] => ['not complete', reason, detail]),
    ['digest', statement.digest],
  ];
}

/** How amounts were converted: each rate with its direction; for a crossed pair both rates. */
function rateLines({
  rates,
  missing_rates: missing,
  currency,
}: StatementResponse): readonly (readonly Cell[])[] {
  return [
    ...rates.map(({ from, to, quotes, source, set_at: setAt, via }): Cell[] => [
      'rate',
      `${from} to ${to}`,
      { plain: quotes.map((quote) => `1 ${quote.from} = ${quote.rate} ${quote.to}`).join('; ') },
      source,
      timeCell(setAt),
      via,
    ]),
    ...missing.map((from): Cell[] => ['missing rate', `${from} to ${currency}`]),
  ];
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
