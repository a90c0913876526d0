import { storedEntityTypes } from '@app/mapper';
import type { Command } from 'commander';
import { ApiError } from '../../common/errors/api-error';
import type { TypeCounts } from '../../sync/run/run';
import type { RunEnd } from '../../sync/run/run-end';
import type { Estimate } from '../../sync/execution/connection-checks';
import type { Access } from '../operator';
import { customerOption, jsonOption, platformOption, type OfConnection } from '../options';
import type { Output } from '../output';

/** Time between two reports of a run's progress, in milliseconds. */
const PROGRESS = 1_000;

interface Sync extends OfConnection {
  readonly full?: true;
  readonly dryRun?: true;
  readonly acceptDeletions?: true;
}

/** Adds the commands that read and check a connection. */
export function addConnectionRuns(connections: Command, { operate }: Access, output: Output): void {
  connections
    .command('sync')
    .description('Read a platform and wait for the end, or estimate the number of calls')
    .addOption(customerOption())
    .addOption(platformOption())
    .option('--full', 'read everything, not only what changed')
    .option('--dry-run', 'only estimate the number of calls')
    .option('--accept-deletions', 'with --full: accept that many records are deleted at once')
    .addOption(jsonOption())
    .action(async (options: Sync, command: Command) => {
      const { customer: customerId, platform, full, dryRun, acceptDeletions, json } = options;
      if (acceptDeletions && (!full || dryRun))
        command.error('error: --accept-deletions goes with --full, and not with --dry-run.');
      const name = { customerId, platform };
      const whole = full === true;
      if (dryRun) {
        const estimate = await operate(async ({ customers, checks }) => {
          // An unknown customer has no live connection and would be treated as one with a sandbox.
          await customers.get(customerId);
          return checks.estimate(name, whole);
        });
        if (json) return output.json(estimateResponse(platform, estimate));
        output.out(`${estimateText(estimate)}\n`);
        return;
      }
      const request = { whole, acceptDeletions: acceptDeletions === true };
      const progressed = json ? (): void => undefined : progressTo(output);
      const end = await operate(({ sync }) => sync.complete(name, request, progressed));
      if (json) return output.json(endResponse(platform, end));
      output.out(endText(end));
    });

  connections
    .command('test')
    .description('Check whether a platform can be read, and name the problem')
    .addOption(customerOption())
    .addOption(platformOption())
    .addOption(jsonOption())
    .action(async ({ customer: customerId, platform, json }: OfConnection) => {
      const { ok, message } = await operate(async ({ customers, checks }) => {
        await customers.get(customerId);
        return checks.test({ customerId, platform });
      });
      if (json) output.json({ platform, ok, message });
      if (!ok) throw new ApiError('EXTERNAL_SERVICE_ERROR', message);
      if (!json) output.out(`${message}\n`);
    });
}

/** Reports the number of records read to standard error, at most once in {@link PROGRESS}. */
function progressTo(output: Output): (counts: TypeCounts) => void {
  let last = performance.now();
  return (counts) => {
    if (performance.now() - last < PROGRESS) return;
    last = performance.now();
    output.err(`Read ${sumOf(counts)} records\n`);
  };
}

function sumOf(counts: TypeCounts): number {
  return storedEntityTypes.reduce((sum, entityType) => sum + counts[entityType], 0);
}

function estimateResponse(platform: string, { mode, budget }: Estimate): object {
  return {
    platform,
    mode,
    calls: budget?.calls ?? null,
    minutes_at_limit: budget?.minutesAtLimit ?? null,
  };
}

function estimateText({ mode, budget }: Estimate): string {
  if (budget !== undefined)
    return `About ${budget.calls} calls, ${budget.minutesAtLimit} minutes at the limit`;
  return mode === 'sandbox' ? 'A sandbox takes no calls' : 'The platform cannot say how many calls it takes';
}

function endResponse(platform: string, { mode, counts, report }: RunEnd): object {
  return {
    platform,
    mode,
    records: counts,
    whole: report.whole,
    complete: report.complete,
    gaps: report.gaps,
    calls: report.calls,
    limited: report.limited,
    deleted: report.deleted,
    deletions_held: report.deletionsHeld,
  };
}

function endText({ counts, report }: RunEnd): string {
  const { whole, complete, gaps, calls, limited, deleted, deletionsHeld } = report;
  const lines = [
    `${sumOf(counts)} records; ${whole ? 'everything' : 'what changed'} was read in ${calls} calls, ${limited} refused by limits`,
    ...(complete ? [] : ['Not everything could be read']),
    ...gaps.map((gap) => `  ${gap}`),
    ...(deleted > 0 ? [`${deleted} records are gone and were marked as deleted`] : []),
    ...(deletionsHeld > 0
      ? [`${deletionsHeld} records are gone, too many at once: accept it with --full --accept-deletions`]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
