/** The arguments of the bench. */
export interface BenchArguments {
  /** IDs of figures, in upper case as they are listed; none for all. */
  readonly ids: readonly string[];
  readonly list: boolean;
  readonly quick: boolean;
  readonly save: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run bench -- [figures] [options]

  P1 P5f …   measure these figures only
  --list     say which figures there are
  --quick    smaller data and fewer repetitions, to try things out
  --save     write docs/performance.json and docs/performance.svg; with some figures, only theirs are replaced; not with --quick
  --help     this text`;

/**
 * Reads the command line.
 *
 * @throws RangeError naming the unknown argument
 */
export function readArguments(args: readonly string[], known: readonly string[]): BenchArguments {
  const options = { list: false, quick: false, save: false, help: false };
  const ids: string[] = [];
  for (const arg of args) {
    const option = arg.startsWith('--') ? arg.slice(2) : undefined;
    const id = known.find((one) => one.toLowerCase() === arg.toLowerCase());
    if (option !== undefined && Object.hasOwn(options, option)) {
      options[option as keyof typeof options] = true; // One of its own members, as was just seen.
    } else if (id !== undefined) ids.push(id);
    else throw new RangeError(`There is no ${option === undefined ? 'figure' : 'option'} ${arg}`);
  }
  if (options.save && options.quick)
    throw new RangeError('--save needs whole measurements: not with --quick');
  return { ids, ...options };
}
