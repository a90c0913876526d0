import type { Command } from 'commander';
import { MOST_COUNTED, type AttentionKind, type Waiting, type WaitingItem } from '../../attention/attention';
import type { Access } from '../operator';
import { jsonOption, type Json } from '../options';
import type { Output } from '../output';
import { table } from '../table';

/** The command that shows details of one item of each kind. */
const furtherCommands: Readonly<Record<AttentionKind, (item: WaitingItem) => string>> = {
  held_writes: () => 'outbox list --state held',
  late_writes: () => 'outbox list --older-than 30m',
  held_deletions: () => 'connections list',
  failing_connections: () => 'connections list',
  refused_credentials: (item) => `connections test${optionsOf(item)}`,
  late_connections: () => 'connections list',
  unending_runs: (item) => `connections list${optionsOf({ ...item, platform: null })} --json`,
  comparisons_behind: (item) => `reconciliation list${optionsOf(item)}`,
  disabled_webhook_endpoints: (item) => `endpoints list${optionsOf(item)}`,
  failing_webhook_endpoints: (item) => `endpoints list${optionsOf(item)}`,
  unconfirmed_webhooks: (item) => `connections show${optionsOf(item)}`,
};

export function addStatus(root: Command, { operate }: Access, output: Output): void {
  root
    .command('status')
    .description('Show what waits for a person, of all customers, with the commands that show more')
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const waiting = (await operate(({ attention }) => attention.look())).map(listing);
      if (json) return output.json({ waiting });
      const rows = waiting.filter(({ count }) => count > 0);
      if (rows.length === 0) return output.out('Nothing waits for a person\n');
      const columns = ['kind', 'count', 'customers', 'oldest', 'command'] as const;
      output.out(
        table(
          columns,
          rows.map((row) => ({ ...row, count: row.count < MOST_COUNTED ? row.count : `${row.count}+` })),
        ),
      );
    });
}

function listing({ kind, count, customers, oldest, items }: Waiting) {
  const [first] = items;
  return {
    kind,
    count,
    customers,
    oldest: oldest?.toISOString() ?? null,
    command: first === undefined ? null : furtherCommands[kind](first),
    items: items.map(({ customerId, platform, since }) => ({
      customer_id: customerId,
      platform,
      since: since?.toISOString() ?? null,
    })),
  };
}

function optionsOf({ customerId, platform }: Pick<WaitingItem, 'customerId' | 'platform'>): string {
  return ` --customer ${customerId}${platform === null ? '' : ` --platform ${platform}`}`;
}
