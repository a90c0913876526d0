/** A bar of a bridge, in parts of the axis from 0 to 1. */
export interface Bar {
  readonly from: number;
  readonly to: number;
}

export interface BridgeScale {
  /** One for the first sum, one for each line, one for the second sum. */
  readonly bars: readonly Bar[];
  /** Where the axis begins, in minor units. */
  readonly begins: bigint;
}

/** Parts of the axis on both sides of what the lines span, when it does not begin at zero. */
const MARGIN = 4n;
/** Steps of the axis: far more than it has pixels. */
const STEPS = 100_000n;

/**
 * The positions of the bars of a bridge: the sums start at the beginning of the axis, and each line starts where the
 * previous one ends.
 *
 * Lines are often a thousandth of the sums. If they span less than a quarter of the larger sum, the axis begins near
 * them, and the page names its beginning.
 */
export function scaleOf(first: bigint, lines: readonly bigint[], second: bigint): BridgeScale {
  const reached = lines.reduce<bigint[]>((all, line) => [...all, (all.at(-1) ?? first) + line], []);
  const points = [first, ...reached, second];
  const [low, high] = [least(points), greatest(points)];
  const span = high - low;
  const beside = span > 0n && low > 0n && span * 4n < high;
  const begins = beside ? low - span / MARGIN - 1n : low < 0n ? low : 0n;
  const ends = beside ? high + span / MARGIN : high > 0n ? high : 0n;
  const place = (value: bigint): number =>
    ends === begins ? 0 : Number(((value - begins) * STEPS) / (ends - begins)) / Number(STEPS);
  const zero = place(begins < 0n ? 0n : begins);
  const starts = [first, ...reached];
  return {
    begins,
    bars: [
      { from: zero, to: place(first) },
      ...reached.map((end, index) => ({ from: place(starts[index] ?? first), to: place(end) })),
      { from: zero, to: place(second) },
    ],
  };
}

function least(values: readonly bigint[]): bigint {
  return values.reduce((low, value) => (value < low ? value : low));
}

function greatest(values: readonly bigint[]): bigint {
  return values.reduce((high, value) => (value > high ? value : high));
}
