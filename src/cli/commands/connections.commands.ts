import type { Command } from 'commander';
import type { ConnectionSummary } from '../customers.service';
import type { Access } from '../operator';
import { customerOption, jsonOption, type OfCustomer } from '../options';
import type { Output } from '../output';
import { table } from '../table';

export function addConnections(root: Command, { operate }: Access, output: Output): void {
  root
    .command('connections')
    .description('Platforms that customers have connected')
    .command('list')
    .description('List the platforms that a customer has connected')
    .addOption(customerOption())
    .addOption(jsonOption())
    .action(async ({ customer, json }: OfCustomer) => {
      const rows = (await operate(({ customers }) => customers.connections(customer))).map(connectionListing);
      if (json) return output.json({ customer_id: customer, connections: rows });
      output.out(table(['platform', 'connected_at', 'synced_at', 'entities_synced', 'currency'], rows));
    });
}

function connectionListing({
  platform,
  connected_at,
  synced_at,
  entities_synced,
  currency,
}: ConnectionSummary) {
  return {
    platform,
    connected_at: connected_at.toISOString(),
    synced_at: synced_at.toISOString(),
    entities_synced,
    currency,
  };
}
