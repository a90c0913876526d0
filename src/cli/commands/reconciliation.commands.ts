import type { Command } from 'commander';
import type { ListedDecision } from '../../matching/decisions/decisions.repository';
import { stringifyJson } from '@app/mapper';
import type { CaseResponse } from '../../reconciliation/cases/case-by-kind.response';
import type { ValuesByPlatform } from '../../reconciliation/cases/cases.response';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';

export function addReconciliation(root: Command, { operate }: Access, output: Output): void {
  const reconciliation = root
    .command('reconciliation')
    .description('Cases that people decide, and their decisions');
  reconciliation
    .command('list')
    .description(
      'List the cases of a customer: disagreements, records on one platform only, ambiguous and unreadable records',
    )
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      await operate(({ reconciliation }) => {
        const pages = reconciliation.list(customer);
        return json ? printJson(customer, pages, output) : printTable(pages, output);
      });
    });
  reconciliation
    .command('decisions')
    .description('List decisions about which records are the same, latest first')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      await operate(async ({ decisions }) => {
        const rows: DecisionLine[] = [];
        for await (const page of decisions.list(customer)) rows.push(...page.map(lineOf));
        output.out(
          json ? `${JSON.stringify({ customer_id: customer, decisions: rows })}\n` : table(decided, rows),
        );
      });
    });
}

const decided = [
  'id',
  'status',
  'decision',
  'entity_type',
  'record',
  'other_record',
  'decided_by',
  'decided_at',
  'reason',
] as const;

type DecisionLine = Readonly<Record<(typeof decided)[number], string>>;

function lineOf({ decision }: ListedDecision): DecisionLine {
  const [one, other] = decision.records.map(({ platform, platformId }) => `${platform} ${platformId}`);
  return {
    id: decision.id,
    status: decision.withdrawn === null ? 'standing' : 'withdrawn',
    decision: decision.decision,
    entity_type: decision.entityType,
    record: one ?? '',
    other_record: other ?? '',
    decided_by: decision.decidedBy,
    decided_at: decision.decidedAt.toISOString(),
    reason: decision.reason,
  };
}

const columns = ['kind', 'entity_type', 'platform', 'platform_id', 'field', 'detail', 'case'] as const;

/** One JSON document on one line, written page by page. */
async function printJson(
  customer: string,
  pages: AsyncIterable<readonly CaseResponse[]>,
  { out }: Output,
): Promise<void> {
  let before = `{"customer_id":${JSON.stringify(customer)},"cases":[`;
  for await (const cases of pages) {
    for (const one of cases) {
      out(`${before}${stringifyJson(one)}`);
      before = ',';
    }
  }
  out(before === ',' ? ']}\n' : `${before}]}\n`);
}

/** Columns are aligned within a page; their names are above the first one. */
async function printTable(pages: AsyncIterable<readonly CaseResponse[]>, { out }: Output): Promise<void> {
  let named = false;
  for await (const cases of pages) {
    if (cases.length === 0) continue;
    const text = table(columns, cases.map(rowOf));
    out(named ? text.slice(text.indexOf('\n') + 1) : text);
    named = true;
  }
  if (!named) out(table(columns, []));
}

type Row = Readonly<Record<(typeof columns)[number], string>>;

/** The record of a case. For a disagreement, the record whose value does not count. */
function rowOf(one: CaseResponse): Row {
  const about =
    one.records.find(({ platform }) => platform === one.platform) ??
    one.records.find(({ platform }) => !('stands' in one) || platform !== one.stands);
  return {
    kind: one.kind,
    entity_type: one.entity_type,
    platform: about?.platform ?? '',
    platform_id: about?.platform_id ?? '',
    field: one.field ?? '',
    detail: detailOf(one),
    case: one.id,
  };
}

function detailOf(one: CaseResponse): string {
  switch (one.kind) {
    case 'disagreement':
      return saidIn(one.values);
    case 'only_on':
      return `${stringifyJson(one.number)} is not on ${one.missing_on}`;
    case 'ambiguous': {
      const candidates = one.candidates.map(({ platform, platform_id: id }) => `${platform} ${id}`);
      return `${stringifyJson(one.number)} also stands on ${candidates.join(', ')}`;
    }
    case 'other_project':
      return `${stringifyJson(one.number)} is linked to a record of another project`;
    case 'unreadable':
      return one.problem;
    case 'not_comparable':
      if (one.values !== undefined) return `${saidIn(one.values)}, and there is no rate`;
      return one.problem ?? `no rate for ${stringifyJson(one.amount ?? null)}`;
  }
}

function saidIn(values: ValuesByPlatform): string {
  return Object.entries(values)
    .map(([platform, { canonical }]) => `${platform} says ${stringifyJson(canonical)}`)
    .join(', ');
}
