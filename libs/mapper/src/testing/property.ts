import * as fc from 'fast-check';

const { FC_SEED, FC_RUNS } = process.env;

/**
 * The seed of all random cases of a test file. `FC_SEED=<seed>` runs the same cases again, `FC_RUNS=<n>` more or fewer of
 * them. `npm test` takes a seed that follows from the sources.
 */
export const seed = FC_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FC_SEED);

// A failing property prints the seed and the path of its smallest counter-example.
fc.configureGlobal({
  seed,
  numRuns: FC_RUNS === undefined ? 30 : Number(FC_RUNS),
});

export { fc };
