import type { Command } from 'commander';
import { ageArgument } from '../arguments';
import type { Access, Operator } from '../operator';
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
      'remove sessions of at least this age instead: 90s, 30m, 12h, 7d',
      ageArgument,
    )
    .addOption(jsonOption())
    .action(async ({ olderThan, json }: Json & { olderThan?: number }) => {
      const { age, removed } = await operate((operator) => purge(operator, olderThan));
      if (json) return output.json({ removed });
      output.out(`Removed ${removed} demo ${removed === 1 ? 'session' : 'sessions'}\n`);
      if (age === undefined) {
        output.err(
          'Demo sessions never expire, as DEMO_SESSION_TTL is 0; --older-than removes them by age\n',
        );
      }
    });
}

/** Removes sessions older than `--older-than`, else than `DEMO_SESSION_TTL`. Removes none when neither sets an age. */
async function purge(
  { demos, demoTtl }: Operator,
  olderThan: number | undefined,
): Promise<{ age: number | undefined; removed: number }> {
  const age = olderThan ?? (demoTtl === 0 ? undefined : demoTtl);
  let removed = 0;
  if (age !== undefined) for await (const batch of demos.removeOlderThan(age)) removed += batch;
  return { age, removed };
}
