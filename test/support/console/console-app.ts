import type { Environment } from '../../../src/runtime/config/environment';
import { startApp, type RunningApp } from '../app/app';
import { builtConsole } from './built-console';
import type { GivenRecords } from '../platforms/given-records';
import { compareSoon } from '../app/short-waits';

/**
 * Starts the service with its console. Comparisons are refreshed soon after changes, because screens wait for them
 * after a decision.
 */
export async function startConsole({
  given,
  settings = {},
}: {
  readonly given?: GivenRecords;
  readonly settings?: Partial<Environment>;
} = {}): Promise<RunningApp> {
  const service = await startApp(settings, [], given, await builtConsole());
  compareSoon(service.app);
  return service;
}
