import { access, constants, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../../src/runtime/embedded-postgres/embedded-postgres';
import stopPostgres from './stop-postgres';
import { cluster } from './test-cluster';

/**
 * Jest's global set-up: one PostgreSQL server for all end-to-end test files, which make their own databases on it.
 * Jest loads this file outside its sandbox, so nothing here may import Nest.
 */
export default async function startPostgres(): Promise<void> {
  const folder = await mkdtemp(join(await quickestFolder(), 'translation-test-'));
  const server = await startEmbeddedPostgres(folder, { durable: false });
  cluster.running = { folder, server };
  process.env['TEST_DATABASE_URL'] = server.url;
  // An interrupted run is torn down by nobody else.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void stopPostgres().finally(() => process.exit(1)));
  }
}

/** Bytes that all databases of a run may come to, with a margin. */
const ROOM = 2 * 1024 ** 3;

/** Memory, where there is enough of it: each test file makes a database, which is hundreds of files. Else the disk. */
async function quickestFolder(): Promise<string> {
  const memory = '/dev/shm';
  try {
    await access(memory, constants.W_OK);
    const { bavail, bsize } = await statfs(memory);
    if (bavail * bsize >= ROOM) return memory;
  } catch {
    // Not every system has it.
  }
  return tmpdir();
}
