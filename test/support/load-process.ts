import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Load, Loaded } from '../../bench/harness/load';

/** The same request again and again, any answer of which counts. */
export interface LoadOfOneCall extends Pick<Load, 'url' | 'connections' | 'seconds'> {
  /** The request as it goes over the wire, in Latin 1. */
  readonly wire: string;
}

/** A process that makes load, so that its work delays nothing that a test measures. */
export interface LoadProcess {
  /**
   * Makes one load at a time.
   *
   * @throws Error when the process has ended
   */
  readonly load: (options: LoadOfOneCall) => Promise<Loaded>;
  readonly stop: () => Promise<void>;
}

/** Starts one. It ends with the process that started it. */
export function startLoadProcess(): LoadProcess {
  const child = fork(join(__dirname, 'run-load.ts'), {
    execArgv: ['-r', join(__dirname, '../../scripts/register-typescript.cjs')],
  });
  const ended = once(child, 'exit');
  return {
    load: async (options) => {
      const answer = once(child, 'message');
      child.send(options);
      const [loaded] = (await Promise.race([
        answer,
        ended.then(() => Promise.reject(new Error('The process that makes load has ended.'))),
      ])) as [Loaded];
      return loaded;
    },
    stop: async () => {
      child.disconnect();
      await ended;
    },
  };
}
