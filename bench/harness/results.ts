import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartOf } from './chart';
import { ROOT } from './children';
import type { Measurement } from './figure';
import { machineText, type Machine } from './machine';
import type { Outcome } from './outcome';
import { spreadOf } from './statistics';
import { valueOf, verdictOf } from './verdict';

/** A stored measurement with its machine, since figures may be measured on different days. */
export type KeptMeasurement = Measurement & { readonly machine: Machine };

/**
 * Writes `bench/results/latest.json` and its chart. A run that is to be published also replaces its figures in what the
 * documents show, and leaves the others: each figure is a ratio within one run.
 */
export async function saveResults(results: Outcome, publish: boolean): Promise<void> {
  const kept = results.measurements.map((measurement) => ({ ...measurement, machine: results.machine }));
  const latest = join(ROOT, 'bench/results');
  await mkdir(latest, { recursive: true });
  await save(join(latest, 'latest'), kept, results.quick);
  if (!publish) return;
  const published = join(ROOT, 'docs/performance');
  await save(published, merged(await readKept(`${published}.json`), kept), false);
}

async function save(path: string, measurements: readonly KeptMeasurement[], quick: boolean): Promise<void> {
  await writeFile(`${path}.json`, `${JSON.stringify(summaryOf(measurements, quick), null, 2)}\n`);
  await writeFile(
    `${path}.svg`,
    chartOf(measurements, `${machinesText(measurements)}${quick ? ', quick' : ''}`),
  );
}

async function readKept(path: string): Promise<readonly KeptMeasurement[]> {
  const text = await readFile(path, 'utf8').catch(() => '{"measurements":[]}');
  // Written by this file from the same type.
  return (JSON.parse(text) as { readonly measurements: readonly KeptMeasurement[] }).measurements;
}

/** The measurements of both, in the order of the figures; the later ones replace all of the same figure. */
export function merged(
  earlier: readonly KeptMeasurement[],
  later: readonly KeptMeasurement[],
): readonly KeptMeasurement[] {
  const replaced = new Set(later.map(figureOf));
  const rank = (measurement: KeptMeasurement): number => Number.parseInt(figureOf(measurement).slice(1), 10);
  return [...earlier.filter((one) => !replaced.has(figureOf(one))), ...later].sort(
    (a, b) => rank(a) - rank(b),
  );
}

function figureOf({ name }: Measurement): string {
  return name.split(' ')[0] ?? '';
}

/** The machines that measurements were made on, each with its first and last day. */
export function machinesText(measurements: readonly KeptMeasurement[]): string {
  const days = new Map<string, { readonly machine: Machine; readonly dates: string[] }>();
  for (const { machine } of measurements) {
    const name = machineText({ ...machine, date: '' });
    const entry = days.get(name) ?? { machine, dates: [] };
    entry.dates.push(machine.date);
    days.set(name, entry);
  }
  return [...days.values()]
    .map(({ machine, dates }) => {
      const [first = '', last = first] = [dates.toSorted()[0], dates.toSorted().at(-1)];
      return machineText({ ...machine, date: first === last ? first : `${first} to ${last}` });
    })
    .join('; ');
}

/** The results as plain JSON: each measurement with its verdict and every repetition. */
export function summaryOf(measurements: readonly KeptMeasurement[], quick: boolean): object {
  return {
    quick,
    measurements: measurements.map((measurement) => ({
      ...measurement,
      value: valueOf(measurement),
      spread: spreadOf(measurement.repetitions.map(({ ratio }) => ratio)),
      verdict: verdictOf(measurement),
    })),
  };
}
