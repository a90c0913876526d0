import type { Command } from 'commander';
import { ageArgument } from '../arguments';
import type { Access } from '../operator';
import { jsonOption, type Json } from '../options';
import type { Output } from '../output';

export function addDemo(root: Command, { operate }: Access, output: Output): void {
  root
    .command('demo')
    .description('Demo sessions')
    .command('purge')
    .description('Remove the demo sessions that have expired, with all of their data')
    .option(
      '--older-than <duration>',
      'remove those of at least this age instead: 90s, 30m, 12h, 7d',
      ageArgument,
    )
    .addOption(jsonOption())
    .action(async ({ olderThan, json }: Json & { olderThan?: number }) => {
      const { removed, kept } = await operate(async ({ demo }) => ({
        removed: await demo.expiry.removeExpired(olderThan),
        kept: olderThan === undefined && demo.ttl === 0,
      }));
      if (json) return output.json({ removed });
      output.out(`Removed ${removed} demo ${removed === 1 ? 'session' : 'sessions'}\n`);
      if (kept) {
        output.err(
          'Demo sessions never expire, as DEMO_SESSION_TTL is 0; --older-than removes them by age\n',
        );
      }
    });
}
