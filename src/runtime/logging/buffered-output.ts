import pino from 'pino';

/** Bytes that are collected before a write: about a hundred lines. */
const PORTION = 32 * 1024;

/** Maximum bytes of one write. */
const MOST_AT_ONCE = 2 * PORTION;

/** Milliseconds after which a smaller portion is written too. */
const FLUSH_INTERVAL_MS = 100;

/** Maximum waiting bytes while no process reads the log. Further lines are lost, and their number is logged later. */
const MOST_WAITING = 16 * 1024 * 1024;

/** A destination of log lines that never blocks. */
export type BufferedOutput = ReturnType<typeof pino.destination>;

/**
 * Writes lines in portions, without blocking. The rest is written when the process ends normally, by `process.exit` or
 * by an uncaught exception, and with every line of level `fatal`. If the reader of a pipe is gone, the rest is lost.
 *
 * @param fd an open file, such as 1 for the standard output
 * @param lost receives the number of lost lines, once lines are written again
 */
export function bufferedOutput(fd: number, lost: (lines: number) => void): BufferedOutput {
  const output = pino.destination({
    fd,
    sync: false,
    minLength: PORTION,
    maxWrite: MOST_AT_ONCE,
    maxLength: MOST_WAITING,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  const flushSync = output.flushSync.bind(output);
  output.flushSync = () => {
    try {
      flushSync();
    } catch (error) {
      // No process is left to read the rest, and the end of this one must not fail for it.
      if (!isBrokenPipe(error)) throw error;
    }
  };
  let dropped = 0;
  output.on('drop', () => (dropped += 1));
  output.on('drain', () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    lost(lines);
  });
  return output;
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}
