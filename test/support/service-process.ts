import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';

const ROOT = join(__dirname, '../..');

/** The service in a process of its own, which a test may kill. */
export interface ServiceProcess {
  readonly url: string;
  /** Ends it at once, in the middle of whatever it does. */
  kill(): Promise<void>;
}

/** Starts the service on a database, on a port that the system chooses. */
export async function startServiceProcess(databaseUrl: string): Promise<ServiceProcess> {
  const service: ChildProcess = spawn(
    process.execPath,
    ['-r', join(ROOT, 'scripts/register-typescript.cjs'), join(__dirname, 'run-service.ts')],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        PORT: '0',
        METRICS_PORT: 'off',
        HOST: '127.0.0.1',
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(service, 'exit');
  if (service.stdout === null) throw new Error('The process has no output.');
  const [url] = (await Promise.race([
    once(createInterface(service.stdout), 'line'),
    ended.then(() => Promise.reject(new Error('The service ended before it listened.'))),
  ])) as [string];
  return {
    url,
    kill: async () => {
      service.kill('SIGKILL');
      await ended;
    },
  };
}
