/** Rows as text in aligned columns, under a line of column names. An absent value is a dash. */
export function table<Column extends string>(
  columns: readonly Column[],
  rows: readonly Record<Column, string | null>[],
): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? '-'))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
