import { Option, type Command } from 'commander';
import type { CustomerSummary } from '../../auth/customers/customers.service';
import type { ListedConnection, WatchedConnection } from '../../connections/connection-listing.service';
import { uuidArgument } from '../arguments';
import type { Access, Operator } from '../operator';
import { jsonOption, type Json } from '../options';
import type { Output } from '../output';
import { storedListing } from '../stored';
import { table } from '../table';
import { addConnectionCredentials } from './connection-credentials.commands';
import { addConnectionRuns } from './connection-runs.commands';

/** A connection is due every few minutes, and its run begins within seconds. */
const LATE_SECONDS = 15 * 60;

export function addConnections(root: Command, access: Access, output: Output): void {
  const connections = root.command('connections').description('Platforms that customers have connected');
  addList(connections, access, output);
  addConnectionCredentials(connections, access, output);
  addConnectionRuns(connections, access, output);
}

function addList(connections: Command, { operate }: Access, output: Output): void {
  connections
    .command('list')
    .description(
      'List the platforms that a customer has connected; without --customer those of all customers, and what is wrong',
    )
    .addOption(
      new Option('--customer <id>', 'ID of the customer; all customers unless given').argParser(uuidArgument),
    )
    .addOption(jsonOption())
    .action(async ({ customer, json }: Json & { customer?: string }) => {
      if (customer === undefined) {
        const rows = await operate(watchedConnections);
        if (json) return output.json({ connections: rows });
        return output.out(table(watchColumns, rows.map(watchRow)));
      }
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

/** The connections of all customers but those of demo sessions; first those with which something is wrong. */
async function watchedConnections({ customers, connections }: Operator): Promise<readonly WatchedListing[]> {
  const rows: WatchedListing[] = [];
  for (const customer of await customers.list(['standard'])) {
    rows.push(...(await connections.watch(customer.id)).map((one) => watchedListing(customer, one)));
  }
  return [...rows.filter(isTroubled), ...rows.filter((row) => !isTroubled(row))];
}

function watchedListing(
  { id, name }: CustomerSummary,
  { heldWrites, heldDeletions, failures, lateSeconds, ...connection }: WatchedConnection,
) {
  return {
    customer_id: id,
    name,
    ...connection,
    failures,
    late_seconds: lateSeconds,
    held_writes: heldWrites,
    held_deletions: heldDeletions,
  };
}

type WatchedListing = ReturnType<typeof watchedListing>;

function isTroubled({ status, failures, held_writes, held_deletions, late_seconds: late }: WatchedListing) {
  return status === 'failing' || failures + held_writes + held_deletions > 0 || (late ?? 0) > LATE_SECONDS;
}

const watchColumns = [
  'customer_id',
  'name',
  'platform',
  'mode',
  'status',
  'last_synced_at',
  'late_seconds',
  'failures',
  'held_writes',
  'held_deletions',
  'last_error',
] as const;

function watchRow({ last_error: error, ...connection }: WatchedListing) {
  return { ...connection, last_error: error?.message ?? null };
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
