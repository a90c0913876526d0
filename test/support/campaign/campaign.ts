import { writeFileSync } from 'node:fs';
import { fc, seed } from '../../../libs/mapper/src/testing/property';

/** Minutes for which a campaign generates cases. Its set-up and tear-down take additional time. */
const MINUTES = Number(process.env['CAMPAIGN_MINUTES'] ?? 3);

/**
 * The longest duration of a hook, and of the last case of a part beyond its time, in milliseconds. It is generous
 * because machines are sometimes busy.
 */
const LONGEST_MS = 900_000;

/** The time of one part of a campaign. */
export interface CampaignTime {
  /** Whether there is time for another case. */
  left(): boolean;
  /**
   * Seeds until the time is over, at least one. Each seed is one more than the one before, so a campaign with the seed
   * of a case begins with that case.
   */
  seeds(): Generator<number>;
  /** A random case for each seed. */
  cases<Case>(arbitrary: fc.Arbitrary<Case>): Generator<Case>;
}

/** A long-running test: its parts and the figures that they counted. */
export class Campaign {
  private readonly figures = new Map<string, number>();
  private readonly passed = new Set<string>();
  private parts = 0;

  constructor(private readonly name: string) {}

  /** The seed of all random values. */
  get seed(): number {
    return seed;
  }

  /** The minutes for which it generates cases. */
  get minutes(): number {
    return MINUTES;
  }

  /** Adds to a figure of the final line, which shows the figures in the order in which they were first counted. */
  count(figure: string, by = 1): void {
    this.figures.set(figure, (this.figures.get(figure) ?? 0) + by);
  }

  /** Keeps the largest value of a figure. */
  most(figure: string, value: number): void {
    this.figures.set(figure, Math.max(this.counted(figure), value));
  }

  counted(figure: string): number {
    return this.figures.get(figure) ?? 0;
  }

  /** Defines a test. The parts of a campaign share its time equally. An error that `work` throws counts as a loss. */
  part(title: string, work: (time: CampaignTime) => Promise<void> | void): void {
    this.parts += 1;
    const timeout = MINUTES * 60_000 + LONGEST_MS;
    it(
      title,
      async () => {
        await work(this.timeFrom(performance.now()));
        this.passed.add(title);
      },
      timeout,
    );
  }

  private timeFrom(start: number): CampaignTime {
    const end = start + (MINUTES * 60_000) / this.parts;
    const left = (): boolean => performance.now() < end;
    const seeds = function* (): Generator<number> {
      let next = seed;
      // The first case of a part may take all its time on a busy machine.
      do yield next++;
      while (left());
    };
    const cases = function* <Case>(arbitrary: fc.Arbitrary<Case>): Generator<Case> {
      for (const next of seeds()) yield* fc.sample(arbitrary, { seed: next, numRuns: 1 });
    };
    return { left, seeds, cases };
  }

  /** Prints one line: the figures, and how many parts failed or did not run. */
  report(): void {
    const figures = [...this.figures].map(([figure, value]) => `${figure} ${Math.round(value)}`);
    const line = [
      `${this.name}: seed ${seed}`,
      `minutes ${MINUTES}`,
      ...figures,
      `lost ${this.parts - this.passed.size}`,
    ].join(', ');
    const file = process.env['CAMPAIGN_FIGURES'];
    if (file === undefined) process.stdout.write(`${line}\n`);
    else writeFileSync(file, line);
  }
}

/**
 * Defines a campaign of `npm run campaign`, which sets its minutes and its seed. `define` registers hooks and parts.
 * The figures are printed after the last hook.
 *
 * @param name the name of the file
 */
export function campaign(name: string, define: (campaign: Campaign) => void): void {
  jest.setTimeout(LONGEST_MS);
  describe(`the campaign ${name}`, () => {
    const own = new Campaign(name);
    define(own);
    afterAll(() => own.report());
  });
}
