import type { Command } from 'commander';
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
      const findings = await operate(({ reconciliation }) => reconciliation.list(customer));
      if (json) return output.json({ customer_id: customer, findings });
      output.out(table(['kind', 'entity_type', 'platform', 'platform_id', 'field', 'detail'], findings));
    });
}
