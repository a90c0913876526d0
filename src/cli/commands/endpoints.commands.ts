import { Option, type Command } from 'commander';
import { uuidArgument } from '../arguments';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';

const columns = ['id', 'url', 'types', 'enabled', 'failing_since', 'waiting', 'disabled_reason'] as const;

export function addEndpoints(root: Command, access: Access, output: Output): void {
  const endpoints = root
    .command('endpoints')
    .description('Addresses of customers to which events are delivered');
  addList(endpoints, access, output);
  addRemove(endpoints, access, output);
}

function addList(endpoints: Command, { operate }: Access, output: Output): void {
  endpoints
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

function addRemove(endpoints: Command, { operate }: Access, output: Output): void {
  endpoints
    .command('remove')
    .description('Remove an endpoint with its secrets, even if the key that encrypts them is lost')
    .addOption(customerOption())
    .addOption(
      new Option('--endpoint <id>', 'ID of the endpoint, as listed')
        .argParser(uuidArgument)
        .makeOptionMandatory(),
    )
    .addOption(jsonOption())
    .action(async ({ customer, endpoint, json }: OfCustomer & { readonly endpoint: string }) => {
      await operate(({ endpointRemoval }) => endpointRemoval.remove(customer, endpoint));
      if (json) return output.json({ customer_id: customer, id: endpoint, removed: true });
      output.out(`Removed the endpoint ${endpoint}\n`);
    });
}
