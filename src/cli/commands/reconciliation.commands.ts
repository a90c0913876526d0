import type { Command } from 'commander';
import type { Finding } from '../../reconciliation/findings';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';

export function addReconciliation(root: Command, { operate }: Access, output: Output): void {
  root
    .command('reconciliation')
    .description('What reconciling left for people to decide')
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
