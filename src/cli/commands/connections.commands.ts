import type { Command } from 'commander';
import type { ConnectionRow } from '../../database/entities/connection.entity';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';
import { addConnectionRuns } from './connection-runs.commands';

export function addConnections(root: Command, access: Access, output: Output): void {
  const { operate } = access;
  const connections = root.command('connections').description('Platforms that customers have connected');
  addConnectionRuns(connections, access, output);
  connections
    .command('list')
    .description('List the platforms that a customer has connected')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const rows = (await operate((operator) => operator.connections.list(customer))).map(connectionListing);
      if (json) return output.json({ customer_id: customer, connections: rows });
      output.out(table(['platform', 'connected_at', 'synced_at', 'entities_synced', 'currency'], rows));
    });
}

function connectionListing({
  platform,
  connectedAt,
  syncedAt,
  entitiesSynced,
  currency,
}: Readonly<ConnectionRow>) {
  return {
    platform,
    connected_at: connectedAt.toISOString(),
    synced_at: syncedAt.toISOString(),
    entities_synced: entitiesSynced,
    currency,
  };
}
