import pino from 'pino';

/** Bytes that are gathered before they are written at once: about a hundred lines. */
const PORTION = 32 * 1024;

/** Bytes that are written at once at most. */
const MOST_AT_ONCE = 2 * PORTION;

/** Milliseconds after which a smaller portion is written as well. */
const FLUSH_INTERVAL_MS = 100;

/** Bytes that wait at most while nothing reads the log; lines beyond are lost, and their number is logged later. */
const MOST_WAITING = 16 * 1024 * 1024;

/** A destination of log lines that lets nobody wait. */
export type BufferedOutput = ReturnType<typeof pino.destination>;

/**
 * Writes lines in portions, without blocking. What is left is written when the process ends by itself, by `process.exit` or
 * by an exception that nobody caught, and with every line of level `fatal`.
 *
 * @param fd an open file, such as 1 for the standard output
 * @param lost is told how many lines were lost, once lines are written again
 */
export function bufferedOutput(fd: number, lost: (lines: number) => void): BufferedOutput {
  const output = pino.destination({
    fd,
    sync: false,
    contentMode: 'buffer',
    minLength: PORTION,
    maxWrite: MOST_AT_ONCE,
    maxLength: MOST_WAITING,
    periodicFlush: FLUSH_INTERVAL_MS,
  });
  // Lines are handed on as bytes. Of text, SonicBoom would count all that waits again with each line, which costs a twentieth of
  // a small request. Its types know text only.
  const write = output.write.bind(output) as unknown as (bytes: Buffer) => boolean;
  output.write = (line: string): boolean => write(Buffer.from(line));
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
