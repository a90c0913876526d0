import type { INestApplicationContext } from '@nestjs/common';
import { BackgroundTasks } from '../../src/runtime/background/background-tasks';

/** Ends what an instance does in the background by itself: a test does it when it wants. */
export async function endBackgroundTasks(app: INestApplicationContext): Promise<void> {
  const background = app.get(BackgroundTasks, { strict: false });
  background.onModuleDestroy();
  await background.beforeApplicationShutdown();
}
