import 'reflect-metadata';
import { outliveReader, outputTo } from './output';
import { runCli } from './run';

const output = outputTo(
  (text) => void process.stdout.write(text),
  (text) => void process.stderr.write(text),
);

outliveReader(process.stdout);
outliveReader(process.stderr);

/** Milliseconds for which unfinished work may keep the process alive after the result. */
const LEFTOVERS = 2_000;

// `process.exit()` at once would cut off output that a slow reader has not received yet.
function exitWith(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(code), LEFTOVERS).unref();
}

runCli(process.argv.slice(2), process.env, output, process.stdin, process).then(
  exitWith,
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    exitWith(1);
  },
);
