import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../../src/runtime/config/environment';
import { createLogger } from '../../src/runtime/logging/logger';
import { serve } from '../../src/runtime/start/serve';
import { consoleFolder } from '../support/console/built-console';
import { migratedDatabase, type TestDatabase } from '../support/database/database';
import { latch } from '../support/this-process/latch';

jest.setTimeout(60_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await migratedDatabase();
});
afterAll(() => database.drop());

/** Starts the service as main does, asks it for its page and its health, and stops it. */
async function started(settings: NodeJS.ProcessEnv, folder: string) {
  const log: Record<string, unknown>[] = [];
  const write = (line: string): void => void log.push(JSON.parse(line) as Record<string, unknown>);
  const environment = readEnvironment({
    ...settings,
    DATABASE_URL: database.url,
    PORT: '0',
    HOST: '127.0.0.1',
    METRICS_PORT: 'off',
    STOP_GRACE: '0',
  });
  const stop = new AbortController();
  const { opened: announced, open } = latch<readonly [url: string, consoleUrl: string | undefined]>();
  const announce = (url: string, consoleUrl?: string): void => open([url, consoleUrl]);
  const ended = serve(environment, createLogger('warn', { write }), stop.signal, announce, {
    consoleFolder: folder,
  });
  const [url, consoleUrl] = await announced;
  const page = (await fetch(`${url}/console`)).status;
  const health = (await fetch(`${url}/api/v1/health`)).status;
  stop.abort();
  await ended;
  return { url, consoleUrl, page, health, log };
}

describe('a start', () => {
  it('says where the console is', async () => {
    const { url, consoleUrl, page, health, log } = await started({}, await consoleFolder());
    expect({ consoleUrl, page, health }).toEqual({ consoleUrl: `${url}/console`, page: 200, health: 200 });
    expect(log).toEqual([]);
  });

  it('has none with CONSOLE=off', async () => {
    const { consoleUrl, page, health, log } = await started({ CONSOLE: 'off' }, await consoleFolder());
    expect({ consoleUrl, page, health }).toEqual({ consoleUrl: undefined, page: 404, health: 200 });
    expect(log).toEqual([]);
  });

  it.each([
    ['missing', async (folder: string) => rm(folder, { recursive: true })],
    ['damaged', async (folder: string) => rm(join(folder, 'index.html'))],
  ])('goes on when its build is %s, and says so', async (_what, spoil) => {
    const folder = await mkdtemp(join(tmpdir(), 'console-'));
    await cp(await consoleFolder(), folder, { recursive: true });
    await spoil(folder);
    const { consoleUrl, page, health, log } = await started({}, folder);
    await rm(folder, { recursive: true, force: true });
    expect({ consoleUrl, page, health }).toEqual({ consoleUrl: undefined, page: 404, health: 200 });
    expect(log).toMatchObject([{ msg: 'The console is not served: its build is missing or damaged' }]);
  });
});
