import { Command, InvalidArgumentError } from 'commander';
import { SwitchError } from '../server';
import type { SimulatorsOptions } from './simulators';
import { describeSwitches, readSwitches } from './switch-settings';

/** The requested run. */
export interface RequestedRun extends SimulatorsOptions {
  /** Whether to print the connections for programs instead of instructions for people. */
  readonly json: boolean;
}

interface Given {
  readonly contracts?: number;
  readonly seed?: number;
  readonly port?: number;
  readonly state?: string;
  readonly speed?: number;
  readonly switch: readonly string[];
  readonly json?: true;
}

/** The last port is 65535, and six consecutive ports are needed. */
const LAST_FIRST_PORT = 65_530;
const MOST_CONTRACTS = 1_000_000;
const LARGEST_SEED = 2 ** 32 - 1;
const FASTEST = 100_000;

/**
 * Reads the command line.
 *
 * @param write receives help and error messages
 * @throws CommanderError for help and for a mistake, after the message was written
 */
export function readArguments(
  args: readonly string[],
  write: { readonly out: (text: string) => void; readonly err: (text: string) => void },
): RequestedRun {
  const command = new Command('simulators')
    .description('Start both platforms as HTTP servers on this machine, until SIGINT or SIGTERM')
    .option('--contracts <n>', 'a generated portfolio with so many contracts', wholeNumber(1, MOST_CONTRACTS))
    .option('--seed <n>', 'what the portfolio is generated from (default: 1)', wholeNumber(0, LARGEST_SEED))
    .option('--port <n>', 'the first of six ports; free ones by default', wholeNumber(1, LAST_FIRST_PORT))
    .option('--state <dir>', 'a folder that keeps the state over restarts; it counts before a portfolio')
    .option('--speed <n>', 'how many seconds of the platforms pass in a real one (default: 1)', speed)
    .option(
      '--switch <name=value>',
      'set a switch, of both platforms or of one (platform_a.name=value); again for more',
      (setting: string, before: readonly string[]) => [...before, setting],
      [],
    )
    .option('--json', 'print addresses and credentials as JSON')
    .addHelpText('after', () => `\n${describeSwitches()}`)
    .configureOutput({ writeOut: write.out, writeErr: write.err })
    .exitOverride();
  command.parse([...args], { from: 'user' });
  return askedFrom(command, command.opts<Given>());
}

function askedFrom(command: Command, given: Given): RequestedRun {
  const { contracts, seed, port, state } = given;
  if (seed !== undefined && contracts === undefined) {
    command.error("error: option '--seed <n>' needs '--contracts <n>'");
  }
  return {
    ...(contracts !== undefined && { generated: { contracts, seed: seed ?? 1 } }),
    ...(port !== undefined && { port }),
    ...(state !== undefined && { stateFolder: state }),
    ...(given.speed !== undefined && { speed: given.speed }),
    switches: switchesOf(command, given.switch),
    json: given.json === true,
  };
}

function switchesOf(command: Command, settings: readonly string[]) {
  try {
    return readSwitches(settings);
  } catch (error) {
    if (error instanceof SwitchError) command.error(`error: option '--switch': ${error.message}`);
    throw error;
  }
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most)) {
      throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
    }
    return number;
  };
}

function speed(text: string): number {
  const number = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(number > 0 && number <= FASTEST)) {
    throw new InvalidArgumentError(`Expected a number above 0, at most ${FASTEST}.`);
  }
  return number;
}
