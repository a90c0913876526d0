import type { Measurement } from './figure';
import { short } from './paired';
import { median, spreadOf } from './statistics';
import { markText, valueOf, verdictOf, type Verdict } from './verdict';

const colours: Readonly<Record<Verdict, string>> = {
  green: '\u001b[32m',
  red: '\u001b[31m',
  unsteady: '\u001b[33m',
  open: '\u001b[33m',
  none: '',
};
const END = '\u001b[0m';

const headings = ['Figure', 'Ratio', 'Least – most', 'Mark', 'Verdict', 'Ours', 'Floor', 'Unit'];

/** The results as a table, one line for each measurement, with its notes below. */
export function tableOf(
  measurements: readonly Measurement[],
  { colour }: { readonly colour: boolean },
): string {
  const rows = measurements.map(cellsOf);
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const lines = [line(headings), widths.map((width) => '-'.repeat(width)).join('  ')];
  for (const [index, measurement] of measurements.entries()) {
    const code = colour ? colours[verdictOf(measurement)] : '';
    lines.push(`${code}${line(rows[index] ?? [])}${code === '' ? '' : END}`);
    for (const note of notesOf(measurement)) lines.push(`    ${note}`);
  }
  return lines.join('\n');
}

function cellsOf(measurement: Measurement): readonly string[] {
  const { repetitions, name, mark, unit } = measurement;
  const { least, most } = spreadOf(repetitions.map(({ ratio }) => ratio));
  const floors = repetitions.flatMap(({ floorBefore, floorAfter }) => [floorBefore, floorAfter]);
  return [
    name,
    short(valueOf(measurement)),
    `${short(least)} – ${short(most)}`,
    markText(mark),
    verdictText(measurement),
    short(median(repetitions.map(({ ours }) => ours))),
    short(median(floors)),
    unit,
  ];
}

function verdictText(measurement: Measurement): string {
  const verdict = verdictOf(measurement);
  if (verdict === 'open') return measurement.withoutVerdict ?? '';
  return verdict === 'none' ? '' : verdict;
}

function notesOf({ ours, floor, voided, notes = [] }: Measurement): readonly string[] {
  const repeated = voided === 0 ? [] : [`${voided} void, because their floors differed`];
  return [`${ours}; against ${floor}`, ...repeated, ...notes];
}
