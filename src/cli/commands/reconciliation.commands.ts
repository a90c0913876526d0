import type { Command } from 'commander';
import type { ListedDecision } from '../../reconciliation/decisions/decisions.repository';
import type { Finding } from '../../reconciliation/findings';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';

export function addReconciliation(root: Command, { operate }: Access, output: Output): void {
  const reconciliation = root
    .command('reconciliation')
    .description('What reconciling left for people to decide, and what they decided');
  reconciliation
    .command('list')
    .description('List disagreements, ambiguous records and unreadable fields of a customer')
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
    .description('List what people decided about which records are one, the latest first')
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

const columns = ['kind', 'entity_type', 'platform', 'platform_id', 'field', 'detail'] as const;

/** One JSON document on one line, written page by page. */
async function printJson(
  customer: string,
  pages: AsyncIterable<readonly Finding[]>,
  { out }: Output,
): Promise<void> {
  let before = `{"customer_id":${JSON.stringify(customer)},"findings":[`;
  for await (const findings of pages) {
    for (const finding of findings) {
      out(`${before}${JSON.stringify(finding)}`);
      before = ',';
    }
  }
  out(before === ',' ? ']}\n' : `${before}]}\n`);
}

/** Columns are aligned within a page; their names are above the first one. */
async function printTable(pages: AsyncIterable<readonly Finding[]>, { out }: Output): Promise<void> {
  let named = false;
  for await (const findings of pages) {
    if (findings.length === 0) continue;
    const text = table(columns, findings);
    out(named ? text.slice(text.indexOf('\n') + 1) : text);
    named = true;
  }
  if (!named) out(table(columns, []));
}
