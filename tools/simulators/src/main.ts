import { CommanderError } from 'commander';
import { readArguments } from './program/arguments';
import { connectionsAsJson, instructions } from './program/instructions';
import { connectionsTo, startSimulators } from './program/simulators';

const out = (text: string): void => void process.stdout.write(text);
const err = (text: string): void => void process.stderr.write(text);

/** Runs both simulators until a signal ends them; gives the exit code. */
async function run(args: readonly string[]): Promise<number> {
  const stopped = signalled();
  const { json, ...options } = readArguments(args, { out, err });
  const simulators = await startSimulators(options);
  const connections = connectionsTo(simulators);
  out(json ? connectionsAsJson(connections) : instructions(connections));
  await stopped;
  await simulators.close();
  return 0;
}

// Heard for as long as the process lives: a Ctrl-C in a terminal reaches us both directly and through npm.
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}

function codeOf(error: unknown): number {
  // Commander has printed its complaint already. Help is no mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  err(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
}

void run(process.argv.slice(2))
  .catch(codeOf)
  // A server that listens already must not keep a failed start alive.
  .then((code) => process.exit(code));
