import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Load, Loaded } from '../../../bench/harness/load';

/** A load of one repeated request, for which any answer counts. */
export interface LoadOfOneCall extends Pick<Load, 'url' | 'connections' | 'seconds'> {
  /** The request as it goes over the wire, in Latin 1. */
  readonly wire: string;
}

/** A process that generates load, so that its work does not delay what a test measures. */
export interface LoadProcess {
  /**
   * Generates one load at a time.
   *
   * @throws Error if the process has ended
   */
  readonly load: (options: LoadOfOneCall) => Promise<Loaded>;
  readonly stop: () => Promise<void>;
}

/** Starts the process. It ends with the process that started it. */
export function startLoadProcess(): LoadProcess {
  const child = fork(join(__dirname, 'run-load.ts'), {
    execArgv: ['-r', join(__dirname, '../../../scripts/register-typescript.cjs')],
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
