import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformName } from '@app/mapper';
import { Runs } from '../../../src/sync/execution/runs';
import { SyncTimes } from '../../../src/sync/schedule/sync-times';
import { api, type ApiResponse } from './api';
import type { RunningApp } from './app';

/**
 * Waits until an instance has so many callers who wait for the end of a run. A caller who comes later may find the run ended,
 * and start another one.
 */
export async function untilCallersWait({ app }: RunningApp, callers: number): Promise<void> {
  const runs = app.get(Runs, { strict: false });
  while (runs.callers < callers) await sleep(20);
}

/**
 * Waits until an instance shows that a run has read so many records of a type, its own run or that of another instance. The
 * run must be held there: a caller who finds it ended starts another one.
 *
 * @returns the answer that shows it
 */
export async function untilRunHasRead(
  { app, url }: RunningApp,
  key: string,
  platform: PlatformName,
  [type, count]: readonly ['projects' | 'payments', number],
): Promise<ApiResponse> {
  const times = app.get(SyncTimes, { strict: false });
  const { wait } = times;
  const client = api(url, key);
  times.wait = 100;
  try {
    for (;;) {
      const answer = await client.post('/connect', { platform });
      // A machine that has no room for a moment says when to come again.
      if (answer.status === 502 && answer.headers.has('Retry-After')) continue;
      expect(answer.status).toBe(202);
      if (answer.body.data.entities[type] === count) return answer;
    }
  } finally {
    times.wait = wait;
  }
}
