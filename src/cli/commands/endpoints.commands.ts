import type { Command } from 'commander';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';

const columns = ['id', 'url', 'types', 'enabled', 'failing_since', 'waiting', 'disabled_reason'] as const;

export function addEndpoints(root: Command, { operate }: Access, output: Output): void {
  root
    .command('endpoints')
    .description('Addresses of customers to which events are delivered')
    .command('list')
    .description('List the endpoints of a customer, with those that fail or were disabled')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const endpoints = await operate(async (operator) => {
        await operator.customers.get(customer);
        return operator.endpoints.list(customer);
      });
      if (json) return output.json({ customer_id: customer, endpoints });
      const rows = endpoints.map((one) => ({
        ...one,
        types: one.types.length === 0 ? 'all' : one.types.join(','),
        enabled: one.enabled ? 'yes' : 'no',
      }));
      output.out(table(columns, rows));
    });
}
