import type { Bench } from './figure';
import type { Paired } from './paired';
import { short } from './paired';
import type { Progress } from './progress';
import { median } from './statistics';

/**
 * Measures something whose mark is a fixed limit, because the waiting time of a person is not compared with other
 * work. The limit takes the place of the floor, so the ratio is the used share of the limit.
 *
 * @param ours measures once, in the unit of the limit
 */
export async function measureWithin(
  { quick }: Bench,
  progress: Progress,
  limit: number,
  ours: () => Promise<number>,
  { warmUps = 1, repetitions = 5 }: { readonly warmUps?: number; readonly repetitions?: number } = {},
): Promise<Paired> {
  for (let round = 0; round < warmUps; round += 1) await ours();
  const measured: number[] = [];
  for (let round = 0; round < (quick ? Math.min(3, repetitions) : repetitions); round += 1) {
    measured.push(await ours());
  }
  progress.say(`${measured.map(short).join(', ')}: median ${short(median(measured))} of ${limit}`);
  return {
    repetitions: measured.map((value) => ({
      ...{ floorBefore: limit, floorAfter: limit },
      ...{ ours: value, ratio: value / limit },
    })),
    voided: 0,
    unsteady: false,
  };
}
