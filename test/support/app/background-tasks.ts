import type { INestApplicationContext } from '@nestjs/common';
import { Workers } from '../../../src/runtime/background/workers';

/** Stops the background work of an instance, so that a test can start it when it needs to. */
export async function endBackgroundTasks(app: INestApplicationContext): Promise<void> {
  const workers = app.get(Workers, { strict: false });
  workers.onModuleDestroy();
  await workers.beforeApplicationShutdown();
}
