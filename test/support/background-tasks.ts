import type { INestApplicationContext } from '@nestjs/common';
import { Workers } from '../../src/runtime/background/workers';

/** Ends what an instance does in the background by itself: a test does it when it wants. */
export async function endBackgroundTasks(app: INestApplicationContext): Promise<void> {
  const workers = app.get(Workers, { strict: false });
  workers.onModuleDestroy();
  await workers.beforeApplicationShutdown();
}
