import { rm } from 'node:fs/promises';
import { cluster } from './test-cluster';

/** Jest's global tear-down: stops what the set-up started and removes its folder. */
export default async function stopPostgres(): Promise<void> {
  const { running } = cluster;
  if (running === undefined) return;
  await running.server.stop();
  await rm(running.folder, { recursive: true, force: true });
}
