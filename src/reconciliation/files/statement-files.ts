import { exponentOf, formatDecimal, stringifyJson, type PlatformName } from '@app/mapper';
import type { CaseResponse } from '../cases/cases.response';
import type { CasePages } from '../cases/cases.service';
import { csvLine, type Cell } from '../../common/csv/csv';
import { headLines, numberCell, type FileHead } from '../../common/csv/csv-file';
import type { MoneySum, StatementResponse } from '../statement/statement.response';

const TYPE_COLUMNS = ['entity_type', 'line', 'platform', 'count', 'amount', 'currency'] as const;

/** A statement as CSV. Pure. */
export function* statementFile(head: FileHead, statement: StatementResponse): Generator<string> {
  yield headLines('reconciliation statement', head, aboutStatement(statement));
  yield rateLines(statement);
  yield csvLine([]);
  yield csvLine([...TYPE_COLUMNS]);
  for (const type of statement.types) {
    const line = (
      name: string,
      platform: PlatformName | null,
      count: number | null,
      sum?: MoneySum,
    ): string =>
      csvLine([
        type.entity_type,
        name,
        platform,
        count === null ? null : numberCell(count),
        ...moneyCells(sum),
      ]);
    const { counts, totals } = type;
    yield line('agree', null, counts.agree);
    yield line('disagree', null, counts.disagree);
    for (const platform of statement.platforms)
      yield line('only_on', platform, counts.only_on[platform] ?? 0);
    yield line('ambiguous', null, counts.ambiguous);
    yield line('accepted', null, counts.accepted);
    for (const platform of statement.platforms)
      yield line('deleted', platform, counts.deleted[platform] ?? 0);
    for (const [group, count] of Object.entries(type.ages)) yield line(`open ${group} days`, null, count);
    if (totals === null) continue;
    yield line('sum', totals.from.platform, totals.from.summed, totals.from.sum);
    for (const { cause, objects, amount, accepted } of totals.lines) {
      yield line(`to ${cause}`, null, objects, amount);
      if (accepted.objects > 0) yield line(`accepted of ${cause}`, null, accepted.objects, accepted.amount);
    }
    yield line('sum', totals.to.platform, totals.to.summed, totals.to.sum);
    for (const sum of [totals.from, totals.to])
      yield line('without_amount', sum.platform, sum.without_amount);
    for (const one of totals.outside) yield line('outside', one.platform, one.records, one.sum);
  }
}

const CASE_COLUMNS = [
  'id',
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

/** All cases of a list as CSV, with the sums of their statement. */
export async function* casesFile(
  head: FileHead,
  statement: StatementResponse,
  { facets, pages }: CasePages,
): AsyncGenerator<string> {
  yield headLines('reconciliation cases', head, aboutStatement(statement));
  yield csvLine(['cases', numberCell(facets.total)]);
  for (const { value, count } of facets.kind) yield csvLine(['cases', value, numberCell(count)]);
  for (const { entity_type, totals } of statement.types) {
    if (totals === null) continue;
    for (const { platform, sum } of [totals.from, totals.to]) {
      yield csvLine(['sum', `${entity_type} on ${platform}`, ...moneyCells(sum)]);
    }
  }
  yield rateLines(statement);
  yield csvLine([]);
  const { platforms } = statement;
  yield csvLine([
    ...CASE_COLUMNS,
    ...platforms.flatMap((platform) => PLATFORM_COLUMNS.map((column) => `${platform}_${column}`)),
  ]);
  for await (const cases of pages) yield cases.map((one) => caseLine(one, platforms)).join('');
}

function caseLine(one: CaseResponse, platforms: readonly PlatformName[]): string {
  return csvLine([
    one.id,
    one.kind,
    one.entity_type,
    one.canonical_id,
    one.project_id,
    one.field,
    one.records.map(({ platform, platform_id: id }) => `${platform} ${id}`).join('; '),
    one.number ?? null,
    ...moneyCells(one.amount ?? undefined),
    one.values === undefined
      ? null
      : Object.entries(one.values)
          .map(([platform, value]) => `${platform}: ${shown(value.native ?? value.canonical)}`)
          .join('; '),
    one.stands ?? null,
    one.why ?? null,
    one.missing_on ?? null,
    one.candidates.map(({ platform, platform_id: id }) => `${platform} ${id}`).join('; ') || null,
    one.problem ?? null,
    ...moneyCells(one.difference ?? undefined),
    { plain: one.opened_at },
    numberCell(one.age_days),
    one.projects === undefined
      ? null
      : Object.entries(one.projects)
          .map(([platform, project]) => `${platform} ${project ?? 'unknown'}`)
          .join('; '),
    dayCell(one.document_date),
    dayCell(one.due_date),
    one.state,
    dayCell(one.closed_at),
    one.closed_by?.type ?? null,
    one.closed_by?.id ?? null,
    one.owner,
    one.accepted?.reason ?? null,
    one.accepted?.decided_by ?? null,
    dayCell(one.accepted?.at ?? null),
    dayCell(one.accepted?.until ?? null),
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
    ...moneyCells(amount?.native),
    ...moneyCells(amount?.converted ?? undefined),
    links[platform] ?? null,
    writable === true ? 'yes' : (writable ?? null),
  ];
}

function aboutStatement(statement: StatementResponse): readonly (readonly Cell[])[] {
  return [
    ['platforms', statement.platforms.join(' to ')],
    ['currency', statement.currency],
    ['as of', { plain: statement.as_of }],
    ...(statement.through === null ? [] : [['through', { plain: statement.through }]]),
    ['complete', statement.complete ? 'yes' : 'no'],
    ...statement.reasons.map(({ reason, detail }): Cell[] => ['not complete', reason, detail]),
    ['digest', statement.digest],
  ];
}

/** A day or a time. */
function dayCell(text: string | null): Cell {
  return text === null ? null : { plain: text };
}

/** Major units, with the decimals of the currency, and the currency. */
function moneyCells(sum: MoneySum | undefined): readonly [Cell, Cell] {
  if (sum === undefined) return [null, null];
  const units = BigInt(stringifyJson(sum.amount));
  return [{ number: formatDecimal(units, exponentOf(sum.currency)) }, sum.currency];
}

/** How amounts were converted: each rate with its direction; for a crossed pair both rates. */
function rateLines({ rates, missing_rates: missing, currency }: StatementResponse): string {
  const lines: Cell[][] = [
    ...rates.map(({ from, to, quotes, source, set_at: setAt, via }): Cell[] => [
      'rate',
      `${from} to ${to}`,
      { plain: quotes.map((quote) => `1 ${quote.from} = ${quote.rate} ${quote.to}`).join('; ') },
      source,
      setAt === null ? null : { plain: setAt },
      via,
    ]),
    ...missing.map((from): Cell[] => ['missing rate', `${from} to ${currency}`]),
  ];
  return lines.map(csvLine).join('');
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
