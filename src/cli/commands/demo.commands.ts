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
      const { age, removed, failure } = await operate((operator) => purge(operator, olderThan));
      if (json) output.json({ removed });
      else output.out(`Removed ${removed} demo ${removed === 1 ? 'session' : 'sessions'}\n`);
      // The number of the removed ones counts although others could not be removed.
      if (failure !== undefined) throw failure;
      if (age === undefined && json !== true) {
        output.err(
          'Demo sessions never expire, as DEMO_SESSION_TTL is 0; --older-than removes them by age\n',
        );
      }
    });
}

/** What a purge did. */
interface Purged {
  /** Milliseconds; undefined when no age was set. */
  readonly age: number | undefined;
  readonly removed: number;
  /** Why other sessions could not be removed. */
  readonly failure?: Error;
}

/** Removes sessions older than `--older-than`, else than `DEMO_SESSION_TTL`. Removes none when neither sets an age. */
async function purge({ demos, demoTtl }: Operator, olderThan: number | undefined): Promise<Purged> {
  const age = olderThan ?? (demoTtl === 0 ? undefined : demoTtl);
  let removed = 0;
  try {
    if (age !== undefined) for await (const batch of demos.removeOlderThan(age)) removed += batch;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { age, removed, failure: error };
  }
  return { age, removed };
}
