import type { Command } from 'commander';
import type { CustomerSummary } from '../../auth/customers/customers.service';
import { nameArgument, timeZoneArgument } from '../arguments';
import type { KnownStorage } from '../../records/storage-quota/storage-quota';
import type { Access } from '../operator';
import { customerOption, jsonOption, type Json, type OfCustomer } from '../options';
import type { Output } from '../output';
import { storedListing } from '../stored';
import { table } from '../table';

export function addCustomers(root: Command, { operate }: Access, output: Output): void {
  const customers = root.command('customers').description('Customers');

  customers
    .command('create')
    .description('Create a customer; it has no keys yet')
    .requiredOption('--name <name>', 'what to call the customer', nameArgument)
    .addOption(jsonOption())
    .action(async ({ name, json }: Json & { name: string }) => {
      const { id } = await operate(({ customers }) => customers.create(name));
      if (json) return output.json({ customer_id: id, name });
      output.out(`${id}\n`);
      output.err(`Created customer ${JSON.stringify(name)}\n`);
    });

  customers
    .command('set')
    .description('Give a customer another name, or the time zone in which its days begin and end')
    .addOption(customerOption())
    .option('--name <name>', 'what to call the customer', nameArgument)
    .option('--time-zone <zone>', 'IANA name of its time zone, such as Asia/Qatar', timeZoneArgument)
    .addOption(jsonOption())
    .action(
      async (
        { customer, name, timeZone, json }: OfCustomer & { name?: string; timeZone?: string },
        command: Command,
      ) => {
        if (name === undefined && timeZone === undefined) {
          command.error('error: --name or --time-zone is needed');
        }
        const changes = { ...(name !== undefined && { name }), ...(timeZone !== undefined && { timeZone }) };
        const set = await operate(({ customers }) => customers.set(customer, changes));
        if (json) return output.json({ customer_id: set.id, name: set.name, time_zone: set.timeZone });
        output.out(`${JSON.stringify(set.name)}, time zone ${set.timeZone}\n`);
      },
    );

  customers
    .command('remove')
    .description(
      'Remove a customer with its keys and everything that is stored for it; it has no live connections',
    )
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      await operate(({ customerRemoval }) => customerRemoval.removeUnconnected(customer));
      if (json) return output.json({ customer_id: customer, removed: true });
      output.out(`Removed the customer ${customer}\n`);
    });

  customers
    .command('list')
    .description('List customers, with their keys in use, their connections and the size of their history')
    .option('--all', 'also list the customers of demo sessions')
    .addOption(jsonOption())
    .action(async ({ all, json }: Json & { all?: true }) => {
      const kinds = all ? (['standard', 'demo'] as const) : (['standard'] as const);
      const rows = await operate(async (operator) => {
        const listed = await operator.customers.list(kinds);
        const storage = await operator.storage.lastKnown(listed);
        return listed.map((customer) => customerListing(customer, storage.get(customer.id)));
      });
      if (json) return output.json({ customers: rows });
      output.out(table(listColumns, rows.map(listRow)));
    });
}

const listColumns = [
  'customer_id',
  'name',
  'time_zone',
  'kind',
  'created_at',
  'keys_in_use',
  'connections',
  'stored_bytes',
  'quota_bytes',
] as const;

function listRow({ storage, ...customer }: ReturnType<typeof customerListing>) {
  const { history_bytes: history, kept_answers_bytes: answers, quota_bytes } = storage;
  const stored_bytes = history === null || answers === null ? null : history + answers;
  return { ...customer, stored_bytes, quota_bytes };
}

function customerListing(
  { id, name, timeZone, kind, createdAt, keysInUse, connections }: CustomerSummary,
  storage: KnownStorage | undefined,
) {
  return {
    customer_id: id,
    name,
    time_zone: timeZone,
    kind,
    created_at: createdAt.toISOString(),
    keys_in_use: keysInUse,
    connections,
    storage: storedListing(storage),
  };
}
