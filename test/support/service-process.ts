import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(__dirname, '../..');

/** The service in a process of its own, which a test may kill. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  readonly hasEnded: boolean;
  /** What it has written to standard output so far, line by line. */
  readonly output: readonly string[];
  /** Asks it to stop, and waits until it has. @returns its exit code */
  stop(): Promise<number | null>;
  /** Ends it at once, in the middle of whatever it does. */
  kill(): Promise<void>;
}

/**
 * Starts the service on a database, on a port that the system chooses. A failed test may leave it behind: it does not keep Jest
 * from ending, and ends with it.
 */
export async function startServiceProcess(
  databaseUrl: string,
  {
    logLevel = 'silent',
    main = 'run-service.ts',
    env = {},
    skewMs = 0,
  }: {
    readonly logLevel?: string;
    readonly main?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Milliseconds that the clock of the process is ahead of the machine's; below 0 behind it. */
    readonly skewMs?: number;
  } = {},
): Promise<ServiceProcess> {
  const service = spawn(
    process.execPath,
    [
      '-r',
      join(__dirname, 'end-with-parent.cjs'),
      '-r',
      join(__dirname, 'skewed-clock.cjs'),
      '-r',
      join(ROOT, 'scripts/register-typescript.cjs'),
      join(__dirname, main),
    ],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        DATABASE_URL: databaseUrl,
        PORT: '0',
        METRICS_PORT: 'off',
        CONSOLE: 'off',
        HOST: '127.0.0.1',
        LOG_LEVEL: logLevel,
        CLOCK_SKEW_MS: String(skewMs),
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  service.unref();
  if (service.stdout instanceof Socket) service.stdout.unref();
  // Behind the last line of its output, which 'exit' may come before.
  const ended = once(service, 'close');
  const output: string[] = [];
  const lines = createInterface(service.stdout);
  const listening = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      output.push(line);
      if (line.startsWith('http://')) resolve(line);
    });
  });
  const url = await Promise.race([
    listening,
    ended.then(() => Promise.reject(new Error('The service ended before it listened.'))),
  ]);
  return {
    url,
    pid: service.pid ?? 0,
    get hasEnded() {
      return service.exitCode !== null || service.signalCode !== null;
    },
    output,
    stop: async () => {
      service.kill('SIGTERM');
      await ended;
      return service.exitCode;
    },
    kill: async () => {
      service.kill('SIGKILL');
      await ended;
    },
  };
}
