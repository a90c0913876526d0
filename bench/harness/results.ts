import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartOf } from './chart';
import { ROOT } from './children';
import type { Outcome } from './outcome';
import { spreadOf } from './statistics';
import { valueOf, verdictOf } from './verdict';

/**
 * Writes `bench/results/latest.json` and its chart. Only a run that is to be published replaces what the documents show.
 */
export async function saveResults(results: Outcome, publish: boolean): Promise<void> {
  const json = `${JSON.stringify(summaryOf(results), null, 2)}\n`;
  const chart = chartOf(results);
  const latest = join(ROOT, 'bench/results');
  await mkdir(latest, { recursive: true });
  await writeFile(join(latest, 'latest.json'), json);
  await writeFile(join(latest, 'latest.svg'), chart);
  if (!publish) return;
  await writeFile(join(ROOT, 'docs/performance.json'), json);
  await writeFile(join(ROOT, 'docs/performance.svg'), chart);
}

/** The results as plain JSON: each measurement with its verdict and every repetition. */
export function summaryOf({ machine, quick, measurements }: Outcome): object {
  return {
    machine,
    quick,
    measurements: measurements.map((measurement) => ({
      ...measurement,
      value: valueOf(measurement),
      spread: spreadOf(measurement.repetitions.map(({ ratio }) => ratio)),
      verdict: verdictOf(measurement),
    })),
  };
}
