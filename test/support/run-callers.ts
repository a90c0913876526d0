import { setTimeout as sleep } from 'node:timers/promises';
import { Runs } from '../../src/sync/execution/runs';
import type { RunningApp } from './app';

/**
 * Waits until an instance has so many callers who wait for the end of a run. A caller who comes later may find the run ended,
 * and start another one.
 */
export async function untilCallersWait({ app }: RunningApp, callers: number): Promise<void> {
  const runs = app.get(Runs, { strict: false });
  while (runs.callers < callers) await sleep(20);
}
