import type { Comparison, Repetition } from './figure';
import { difference } from './statistics';

/** Floors that differ by more than this share void the measurement between them. */
export const TOLERANCE = 0.1;

/** How something is measured against a floor. Each function measures once and returns a rate, seconds or bytes. */
export interface Pairing {
  readonly comparison: Comparison;
  readonly repetitions: number;
  /** Measurements of each side that are discarded before the first one counts. */
  readonly warmUps: number;
  /** The number of void measurements that are repeated, over all repetitions. */
  readonly retries: number;
  readonly floor: () => Promise<number>;
  readonly ours: () => Promise<number>;
  /** Called at each step. */
  readonly report?: (line: string) => void;
}

/** The result of the measurements. */
export interface Paired {
  readonly repetitions: readonly Repetition[];
  readonly voided: number;
  readonly unsteady: boolean;
}

/**
 * Measures floor – ours – floor, several times. The floor after one repetition is the floor before the next one. A
 * measurement whose floors differ by more than {@link TOLERANCE} is void and is repeated; when too many are, the
 * result is marked as unsteady, with the values that there are.
 */
export async function measurePaired(pairing: Pairing): Promise<Paired> {
  const { comparison, warmUps, report = () => undefined } = pairing;
  for (let round = 0; round < warmUps; round++) {
    await pairing.floor();
    await pairing.ours();
  }
  const valid: Repetition[] = [];
  const voided: Repetition[] = [];
  let floorBefore = await pairing.floor();
  while (valid.length < pairing.repetitions && voided.length <= pairing.retries) {
    const ours = await pairing.ours();
    const floorAfter = await pairing.floor();
    const ratio = compare(comparison, ours, (floorBefore + floorAfter) / 2);
    const repetition: Repetition = { floorBefore, ours, floorAfter, ratio };
    const apart = difference(floorBefore, floorAfter);
    const isVoid = apart > TOLERANCE;
    (isVoid ? voided : valid).push(repetition);
    report(
      `floor ${short(floorBefore)}, ours ${short(ours)}, floor ${short(floorAfter)}: ${short(ratio)}` +
        (isVoid ? ` – void, the floors are ${Math.round(apart * 100)} % apart` : ''),
    );
    floorBefore = floorAfter;
  }
  const unsteady = valid.length < pairing.repetitions;
  return { repetitions: unsteady ? [...valid, ...voided] : valid, voided: voided.length, unsteady };
}

/** The ratio that a comparison means; see {@link Comparison}. */
export function compare(comparison: Comparison, ours: number, floor: number): number {
  return comparison === 'time' ? floor / ours : ours / floor;
}

/** A number with three significant digits, without an exponent. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 6));
}
