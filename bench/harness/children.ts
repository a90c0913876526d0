import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const ROOT = join(__dirname, '../..');
const TYPESCRIPT = join(ROOT, 'scripts/register-typescript.cjs');

/** A process that was started here. */
export interface Child {
  readonly pid: number;
  /** Its standard output so far. */
  output(): string;
  /**
   * Waits until the output matches.
   *
   * @param within milliseconds; a minute by default
   * @throws when the process ends before, or that time is over
   */
  matches(pattern: RegExp, within?: number): Promise<RegExpExecArray>;
  /** Kills it. */
  kill(): void;
  /** Stops it and waits; kills it if it takes too long. */
  stop(): Promise<void>;
  /** Resolves when it has ended by itself. @throws when its exit code is not 0 */
  ended(): Promise<void>;
}

const running = new Set<ChildProcess>();

/** Ends at once what still runs: an interrupted bench must leave no server behind. */
export function endChildren(): void {
  for (const child of running) child.kill('SIGKILL');
}
process.on('exit', endChildren);

const START_MS = 60_000;
const STOP_MS = 12_000;

/**
 * Starts Node on some arguments. Output goes to a file, as under a supervisor: a pipe would make the bench read every
 * line of the log.
 */
export function startNode(
  args: readonly string[],
  { output: file, env = {} }: { readonly output: string; readonly env?: Readonly<Record<string, string>> },
): Child {
  const log = openSync(file, 'w');
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  running.add(child);
  const end = once(child, 'exit').finally(() => running.delete(child));
  const output = () => readFileSync(file, 'utf8');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    output,
    async matches(pattern, within = START_MS) {
      for (const until = performance.now() + within; performance.now() < until; await sleep(5)) {
        const match = pattern.exec(output());
        if (match !== null) return match;
        if (isOver()) break;
      }
      throw new Error(
        `A process of the bench (${args.join(' ')}) does not say ${String(pattern)}:\n${output()}`,
      );
    },
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      if (!isOver()) child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await end;
      clearTimeout(timer);
    },
    async ended() {
      await end;
      if (child.exitCode !== 0) throw new Error(`A process of the bench failed:\n${output()}`);
    },
  };
}

/** Starts a TypeScript file of the bench in a separate process. */
export function startScript(
  path: string,
  options: Parameters<typeof startNode>[1] & { readonly args?: readonly string[] },
): Child {
  return startNode(['-r', TYPESCRIPT, join(ROOT, path), ...(options.args ?? [])], options);
}
