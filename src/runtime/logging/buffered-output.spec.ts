import { spawn } from 'node:child_process';
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

  it('has every line soon, while the process goes on', async () => {
    const { lines, reader, ended, kill } = logging('setInterval(() => undefined, 1000)');
    while (lines.length < LINES) await once(reader, 'line');
    kill();
    await ended;
    expect(lines).toHaveLength(LINES);
  });
});
