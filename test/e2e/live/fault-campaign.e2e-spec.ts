import { fc, randomCases, seed } from '../../../libs/mapper/src/testing/property';
import { withoutRateLimits } from '../../support/app/short-waits';
import { FaultyLife } from '../../support/campaign/live/faulty-life';
import { halves, moments, sequences, type Sequence } from '../../support/campaign/live/sequence';
import { platforms } from '../../support/customers/portfolio';

/** Sequences in all. A few show that nothing known has come back; `FC_TIMES=100` looks for more, `FC_SEED` repeats a run. */
const FEW = 1;
const runs = randomCases(FEW);
/** The one sequence to run, of those that the seed makes. */
const only = process.env['CAMPAIGN_ONLY'];
/** Sequences under way at once, each of a customer of its own. */
const AT_ONCE = 4;

jest.setTimeout(240_000 + (runs + (runs > FEW ? halves.length : 0)) * 20_000);

/** An instance that ends at each moment of a write to each platform. */
const ends: readonly Sequence[] = platforms.flatMap((platform) =>
  moments.map((at): Sequence => ({
    actions: [
      { kind: 'kill', platform, at },
      { kind: 'change', what: 'payment', by: 'canonical', fields: 3 },
      { kind: 'create', what: 'payment' },
      { kind: 'change', what: 'customer', by: 'platform_a', fields: 1 },
    ],
    troubles: { platform_a: [], platform_b: [] },
  })),
);

describe('changes of live platforms on which everything goes wrong', () => {
  withoutRateLimits();
  let life: FaultyLife;

  beforeAll(async () => {
    life = await FaultyLife.start(2, {}, runs > FEW ? 'at once' : 'when needed');
  });
  afterAll(async () => {
    await life.close();
    if (runs > FEW) {
      const { instances, answers, outcomes } = life;
      const told = { seed, runs, kills: instances.kills, answers: [...answers], outcomes: [...outcomes] };
      process.stdout.write(`${JSON.stringify(told)}\n`);
    }
  });

  async function campaign(all: readonly Sequence[]): Promise<void> {
    const waiting = [...all.entries()].filter(([place]) => only === undefined || place === Number(only));
    // A kill at a moment of a write cannot wait for an instance to start.
    if (all.some(({ actions }) => actions.some(({ kind }) => kind === 'kill')))
      await life.instances.complete();
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [place, one] = next;
        await life.run(one, place).catch((error: unknown) => {
          waiting.length = 0;
          const told = `FC_SEED=${seed} FC_TIMES=${runs / FEW} CAMPAIGN_ONLY=${place}: ${JSON.stringify(one)}`;
          throw new Error(`${told}\n${error instanceof Error ? error.message : String(error)}`, {
            cause: error,
          });
        });
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    const failed = ended.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  // Each needs a new process, so that a few runs have one.
  const chosen =
    runs > FEW
      ? [...ends, ...halves]
      : fc.sample(fc.shuffledSubarray([...ends], { minLength: 1, maxLength: 1 }), { seed, numRuns: 1 })[0];
  it('have one effect or none when an instance ends, or something else happens, at a moment of a write', () =>
    campaign(chosen ?? []));

  it(`have one effect or none in ${runs} random sequences of changes, faults, killed instances and edits of others`, () =>
    campaign(fc.sample(sequences, { seed, numRuns: runs })));
});
