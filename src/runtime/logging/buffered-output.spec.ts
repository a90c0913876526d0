import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(__dirname, '../../..');
const LINES = 2_000;

/** Starts a process that logs and then does something else; returns its lines. */
function logging(then: string) {
  const code = `
    const { createLogger, flushed } = require('./src/runtime/logging/logger');
    const logger = createLogger('info');
    for (let line = 0; line < ${LINES}; line += 1) logger.info({ line }, 'a line');
    ${then}`;
  const child = spawn(process.execPath, ['-r', './scripts/register-typescript.cjs', '-e', code], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines: string[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => lines.push(line));
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')]);
  return { lines, reader, ended, kill: () => child.kill('SIGKILL') };
}

jest.setTimeout(30_000);

describe('the log on the standard output', () => {
  it.each([
    ['process.exit', 'process.exit(0)'],
    ['process.exit after a flush', 'void flushed(logger).then(() => process.exit(0))'],
    ['its own end', ''],
    ['an exception that nobody caught', 'setImmediate(() => { throw new Error("bang") })'],
    ['a rejection that nobody caught', 'void Promise.reject(new Error("bang"))'],
  ])('is whole after %s', async (_name, then) => {
    const { lines, ended } = logging(then);
    await ended;
    // In a crash, the portion that was being written may follow the rest.
    const numbers = lines.map((line) => (JSON.parse(line) as { line: number }).line);
    expect(numbers.sort((one, other) => one - other)).toEqual([...Array(LINES).keys()]);
  });

  describe('without a reader', () => {
    let shell: ChildProcess | undefined;

    // A process that hangs would keep the pipe, and with it this one.
    afterEach(() => {
      if (shell?.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
    });

    it('lets the process end', async () => {
      const code = `
        const { createLogger } = require('./src/runtime/logging/logger');
        const logger = createLogger('info');
        process.stderr.write('ready, ');
        setTimeout(() => (logger.info('the last line'), process.exit(0)), 500);`;
      // A pipe of the shell: Node gives its children sockets, which tell earlier that the reader is gone.
      const piped = '{ "$0" -r ./scripts/register-typescript.cjs -e "$1"; echo "ended with $?" >&2; } | :';
      const started = spawn('/bin/sh', ['-c', piped, process.execPath, code], {
        cwd: ROOT,
        stdio: ['ignore', 'ignore', 'pipe'],
        detached: true,
      });
      shell = started;
      let said = '';
      started.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await once(started, 'close');
      expect(said).toBe('ready, ended with 0\n');
    });
  });

  it('has every line soon, while the process goes on', async () => {
    const { lines, reader, ended, kill } = logging('setInterval(() => undefined, 1000)');
    while (lines.length < LINES) await once(reader, 'line');
    kill();
    await ended;
    expect(lines).toHaveLength(LINES);
  });
});
