import * as fc from 'fast-check';

const { FC_SEED, FC_TIMES } = process.env;

/**
 * The seed of all random cases of a test file. `FC_SEED=<seed>` runs the same cases again. `npm test` takes a seed that follows
 * from the sources.
 */
export const seed = FC_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FC_SEED);

/**
 * How many random cases a test tries: as many as usual in `npm test`, where a few show that nothing known has come back;
 * `FC_TIMES=<n>` times as many look for what is rare.
 */
export function randomCases(usual: number): number {
  return Math.ceil(usual * Number(FC_TIMES ?? 1));
}

/** Whether enough cases are tried to have met what is rare. */
export const looksFar = Number(FC_TIMES ?? 1) >= 5;

// A failing property prints the seed and the path of its smallest counter-example.
fc.configureGlobal({
  seed,
  numRuns: randomCases(30),
});

export { fc };
