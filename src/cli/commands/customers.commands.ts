import type { Command } from 'commander';
import type { CustomerSummary } from '../../auth/customers.service';
import { nameArgument } from '../arguments';
import type { Access } from '../operator';
import { jsonOption, type Json } from '../options';
import type { Output } from '../output';
import { table } from '../table';

export function addCustomers(root: Command, { operate }: Access, output: Output): void {
  const customers = root.command('customers').description('Customers');

  customers
    .command('create')
    .description('Create a customer, without keys as yet')
    .requiredOption('--name <name>', 'what to call the customer', nameArgument)
    .addOption(jsonOption())
    .action(async ({ name, json }: Json & { name: string }) => {
      const { id } = await operate(({ customers }) => customers.create(name));
      if (json) return output.json({ customer_id: id, name });
      output.out(`${id}\n`);
      output.err(`Created customer ${JSON.stringify(name)}\n`);
    });

  customers
    .command('list')
    .description('List customers, with the number of their keys in use and of their connections')
    .option('--all', 'with the customers of demo sessions')
    .addOption(jsonOption())
    .action(async ({ all, json }: Json & { all?: true }) => {
      const kinds = all ? (['standard', 'demo'] as const) : (['standard'] as const);
      const rows = (await operate((operator) => operator.customers.list(kinds))).map(customerListing);
      if (json) return output.json({ customers: rows });
      output.out(table(['customer_id', 'name', 'kind', 'created_at', 'keys_in_use', 'connections'], rows));
    });
}

function customerListing({ id, name, kind, createdAt, keysInUse, connections }: CustomerSummary) {
  return {
    customer_id: id,
    name,
    kind,
    created_at: createdAt.toISOString(),
    keys_in_use: keysInUse,
    connections,
  };
}
