import type { Command } from 'commander';
import type { ListedConnection } from '../../connections/connection-listing.service';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { storedListing } from '../stored';
import { table } from '../table';
import { addCredentials } from './connection-credentials.commands';
import { addConnectionRuns } from './connection-runs.commands';

export function addConnections(root: Command, access: Access, output: Output): void {
  const connections = root.command('connections').description('Platforms that customers have connected');
  addList(connections, access, output);
  addCredentials(connections, access, output);
  addConnectionRuns(connections, access, output);
}

function addList(connections: Command, { operate }: Access, output: Output): void {
  connections
    .command('list')
    .description('List the platforms that a customer has connected')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const { connections, storage } = await operate(async (operator) => {
        const found = await operator.customers.get(customer);
        return {
          connections: await operator.connections.list(customer),
          storage: (await operator.storage.lastKnown([found])).get(customer),
        };
      });
      if (json) return output.json({ customer_id: customer, connections, storage: storedListing(storage) });
      output.out(table(listColumns, connections.map(listRow)));
    });
}

const listColumns = [
  'platform',
  'mode',
  'status',
  'connected_at',
  'last_synced_at',
  'entities_synced',
  'currency',
  'last_error',
] as const;

function listRow({ last_error: error, ...connection }: ListedConnection) {
  return { ...connection, last_error: error?.message ?? null };
}
