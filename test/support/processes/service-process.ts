import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(__dirname, '../../..');

/** The service in its own process, which a test may kill. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  readonly hasEnded: boolean;
  /** Its standard output so far, line by line. */
  readonly output: readonly string[];
  /**
   * Stops it with a signal, and waits until it has stopped.
   *
   * @returns its exit code
   */
  stop(): Promise<number | null>;
  /** Kills it immediately. */
  kill(): Promise<void>;
}

/** The settings of a service process. */
export interface ServiceOptions {
  readonly logLevel?: string;
  readonly main?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds by which the clock of the process is ahead of the machine's; negative if it is behind. */
  readonly skewMs?: number;
}

/**
 * Starts the service on a database, on a port that the system chooses. A failed test may leave it behind: it does not keep Jest
 * from ending, and ends with it.
 */
export async function startServiceProcess(
  databaseUrl: string,
  options: ServiceOptions = {},
): Promise<ServiceProcess> {
  const { line, serving } = spawnService(databaseUrl, options);
  return serving(await line('http://'));
}

/** A process that has completed its start except for listening. */
export interface SpareProcess {
  begin(): Promise<ServiceProcess>;
  /** Kills it immediately. */
  kill(): Promise<void>;
}

/** Starts such a process. Its main file must wait for a line on standard input. */
export async function startSpareProcess(databaseUrl: string, options: ServiceOptions): Promise<SpareProcess> {
  const { line, serving, tell, kill } = spawnService(databaseUrl, options);
  await line('ready');
  return {
    begin: async () => {
      tell('begin\n');
      return serving(await line('http://'));
    },
    kill,
  };
}

function spawnService(
  databaseUrl: string,
  { logLevel = 'silent', main = 'run-service.ts', env = {}, skewMs = 0 }: ServiceOptions,
) {
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
  for (const stream of [service.stdin, service.stdout]) if (stream instanceof Socket) stream.unref();
  // Input for a process that ends meanwhile may be lost.
  service.stdin.on('error', () => undefined);
  // `close` follows the last line of output; `exit` may precede it.
  const ended = once(service, 'close');
  const output: string[] = [];
  const lines = createInterface(service.stdout);
  lines.on('line', (text) => output.push(text));
  const kill = async (): Promise<void> => {
    service.kill('SIGKILL');
    await ended;
  };
  return {
    /** Resolves to the first line with this prefix. */
    line: (start: string): Promise<string> => {
      const said = output.find((text) => text.startsWith(start));
      if (said !== undefined) return Promise.resolve(said);
      const coming = new Promise<string>((resolve) => {
        lines.on('line', (text) => {
          if (text.startsWith(start)) resolve(text);
        });
      });
      const early = ended.then(() => Promise.reject(new Error('The service ended before it listened.')));
      return Promise.race([coming, early]);
    },
    tell: (word: string): void => void service.stdin.write(word),
    kill,
    serving: (url: string): ServiceProcess => ({
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
      kill,
    }),
  };
}
