import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostmaster, type Postmaster } from '../../../src/runtime/embedded-postgres/postmaster';

const ROOT = join(__dirname, '../../..');

// A process takes some seconds to start, and the first one creates the database.
jest.setTimeout(180_000);

describe('an operator command in its own process', () => {
  let folder: string;
  const postmaster = () => findPostmaster(join(folder, 'postgres', 'data'));
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signals-'));
  });
  afterAll(async () => {
    const left = await postmaster();
    if (left !== undefined) process.kill(left.pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Resolves once the command's server runs; undefined if the command ends before. */
  async function serverOf(hasEnded: () => boolean): Promise<Postmaster | undefined> {
    while (!hasEnded()) {
      const found = await postmaster().catch(() => undefined);
      if (found?.port !== undefined) return found;
      await sleep(10);
    }
    return undefined;
  }

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('stops the embedded database before %s ends it', async (signal, code) => {
    const command = spawn(
      process.execPath,
      [
        ...['-r', join(ROOT, 'test/support/processes/end-with-parent.cjs')],
        ...['-r', join(ROOT, 'scripts/register-typescript.cjs')],
        ...[join(ROOT, 'src/cli/main.ts'), 'status'],
      ],
      {
        cwd: ROOT,
        env: { ...process.env, DATABASE_URL: '', DATA_DIR: folder },
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    const ended = once(command, 'exit');
    expect(await serverOf(() => command.exitCode !== null || command.signalCode !== null)).toBeDefined();
    command.kill(signal);
    expect(await ended).toEqual([code, null]);
    expect(await postmaster()).toBeUndefined();
  });
});
