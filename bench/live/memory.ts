import { inWorkplace, nodeOptionsIn } from '../harness/workplace';
import { firstLoad } from './first-load';
import type { SimulatedPlatform } from './simulators';

const USAGE = `node -r ./scripts/register-typescript.cjs bench/live/memory.ts [options]

  The most memory of the built service during a first load over HTTP from the simulators, of a large portfolio against a
  small one. Ends with exit code 1 when it grows by more than 100 MB. Build before: npx nest build

  --platform platform_a|platform_b   only this one
  --few N     records of the small portfolio, about (1000)
  --many N    records of the large one, about (100000)
  --keep      leaves the logs, and prints where they are
  --help      this text
`;

/** Bytes that a large load may take beyond a small one. */
const MOST_GROWTH = 100 * 1_000_000;

/** Contracts of a portfolio of so many records on one platform, about: see `generatedPortfolio`. */
const contractsFor = (records: number): number => Math.max(1, Math.ceil(records / 3.1));

const mb = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

async function main(args: readonly string[]): Promise<number> {
  const value = (name: string): string | undefined => {
    const place = args.indexOf(name);
    return place < 0 ? undefined : args[place + 1];
  };
  if (args.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const only = value('--platform');
  const sizes = [Number(value('--few') ?? 1_000), Number(value('--many') ?? 100_000)];
  return inWorkplace({ name: 'translation-live', keep: args.includes('--keep') }, async (workplace) => {
    let isWithin = true;
    for (const platform of ['platform_a', 'platform_b'] satisfies SimulatedPlatform[]) {
      if (only !== undefined && only !== platform) continue;
      const peaks: number[] = [];
      for (const size of sizes) {
        const load = await firstLoad(workplace, platform, contractsFor(size), nodeOptionsIn(args));
        peaks.push(load.peak);
        process.stdout.write(
          `${platform}: ${load.records} records in ${load.seconds.toFixed(1)} s, peak ${mb(load.peak)} (${mb(load.atStart)} before)\n`,
        );
      }
      const growth = (peaks[1] ?? 0) - (peaks[0] ?? 0);
      isWithin &&= growth <= MOST_GROWTH;
      process.stdout.write(`${platform}: ${mb(growth)} more, at most ${mb(MOST_GROWTH)}\n`);
    }
    return isWithin ? 0 : 1;
  });
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
    process.exit(1);
  },
);
