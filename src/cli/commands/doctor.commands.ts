import type { Command } from 'commander';
import { DatabaseUnavailable } from '../../database/connection/database-errors';
import { EnvironmentError } from '../../runtime/config/environment';
import { isAway } from '../../runtime/start/migrate-when-ready';
import { startProblem, StartError, wordsOf } from '../../runtime/start/start-error';
import { databaseFindings } from '../doctor/database-findings';
import { finding, type Finding } from '../doctor/finding';
import { serviceFindings } from '../doctor/service-findings';
import { Interrupted } from '../interruption';
import type { Access } from '../operator';
import { jsonOption, type Json } from '../options';
import type { Output } from '../output';
import { table } from '../table';

export function addDoctor(root: Command, access: Access, output: Output): void {
  root
    .command('doctor')
    .description(
      'Check settings, database, clock, migrations, keys and live platforms, and say what is wrong',
    )
    .addOption(jsonOption())
    .action(async ({ json }: Json) => {
      const findings = await examine(access);
      if (json) output.json({ findings });
      else output.out(table(['check', 'state', 'customer_id', 'detail'], findings));
      const wrong = findings.filter(({ state }) => state === 'wrong').length;
      if (wrong > 0) throw new StartError(wrong === 1 ? '1 thing is wrong' : `${wrong} things are wrong`);
    });
}

/**
 * Runs all checks that are possible. A check is not tried if it needs something that an earlier check found missing.
 */
async function examine({ reach, operate }: Access): Promise<readonly Finding[]> {
  let found: readonly Finding[];
  try {
    found = await reach(databaseFindings);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    if (error instanceof EnvironmentError) return [finding('settings', 'wrong', startProblem(error))];
    return [settings, databaseProblem(error), ...notTried('migrations', 'clock', 'keys', 'platform')];
  }
  // The parts of the service would change a schema that is not up to date.
  if (found.some(({ check, state }) => check === 'migrations' && state === 'wrong')) {
    return [settings, ...found, ...notTried('clock', 'keys', 'platform')];
  }
  try {
    return [settings, ...found, ...(await operate(serviceFindings))];
  } catch (error) {
    if (!isAway(error)) throw error;
    const others = found.filter(({ check }) => check !== 'database');
    return [settings, databaseProblem(error), ...others, ...notTried('clock', 'keys', 'platform')];
  }
}

const settings = finding('settings', 'ok', 'All settings can be used');

function notTried(...checks: readonly Finding['check'][]): readonly Finding[] {
  return checks.map((check) => finding(check, 'not tried', 'Another finding stands in the way'));
}

function databaseProblem(error: unknown): Finding {
  const cause = error instanceof DatabaseUnavailable ? (error.cause ?? error) : error;
  return finding('database', 'wrong', `The database cannot be used: ${wordsOf(cause).split('\n')[0] ?? ''}`);
}
