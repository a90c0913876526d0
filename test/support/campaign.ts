import { writeFileSync } from 'node:fs';
import { fc, seed } from '../../libs/mapper/src/testing/property';

/** Minutes that a campaign tries things for. What it starts before and takes down after comes on top. */
const MINUTES = Number(process.env['CAMPAIGN_MINUTES'] ?? 3);

/** Milliseconds that a hook may take, and the last case of a part beyond its time. Machines are busy at times. */
const LONGEST_MS = 900_000;

/** The time that one part of a campaign has. */
export interface CampaignTime {
  /** Whether another case may begin. */
  left(): boolean;
  /**
   * Seeds until the time is over, at least one. Each is one more than the one before: a campaign with the seed of a case begins
   * with it.
   */
  seeds(): Generator<number>;
  /** A random case for each seed. */
  cases<Case>(arbitrary: fc.Arbitrary<Case>): Generator<Case>;
}

/** A long proof: its parts, and what they have counted. */
export class Campaign {
  private readonly figures = new Map<string, number>();
  private readonly passed = new Set<string>();
  private parts = 0;

  constructor(private readonly name: string) {}

  /** The seed of all that is random. */
  get seed(): number {
    return seed;
  }

  /** How long it tries things. */
  get minutes(): number {
    return MINUTES;
  }

  /** Adds to a figure of the last line, which shows them in the order in which they were first counted. */
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

  /** A test. The parts of a campaign share its time equally. An error that it throws is a loss. */
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
      // What a part starts first may take all its time on a busy machine.
      do yield next++;
      while (left());
    };
    const cases = function* <Case>(arbitrary: fc.Arbitrary<Case>): Generator<Case> {
      for (const next of seeds()) yield* fc.sample(arbitrary, { seed: next, numRuns: 1 });
    };
    return { left, seeds, cases };
  }

  /** One line: what was tried and how often, and how many parts have lost something, or did not run. */
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
 * One of `npm run campaign`, which gives its minutes and its seed. The hooks and parts that `define` registers are its own; the
 * figures are printed after its last hook.
 *
 * @param name that of the file
 */
export function campaign(name: string, define: (campaign: Campaign) => void): void {
  jest.setTimeout(LONGEST_MS);
  describe(`the campaign ${name}`, () => {
    const own = new Campaign(name);
    define(own);
    afterAll(() => own.report());
  });
}
