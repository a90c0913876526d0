import * as fc from 'fast-check';

/**
 * fast-check with one seed for a whole test file. A failing property prints the seed and the path of its smallest
 * counter-example; `FC_SEED=<seed>` runs the same cases again, `FC_RUNS=<n>` more or fewer of them.
 */
const { FC_SEED, FC_RUNS } = process.env;

fc.configureGlobal({
  seed: FC_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FC_SEED),
  numRuns: FC_RUNS === undefined ? 30 : Number(FC_RUNS),
});

export { fc };
