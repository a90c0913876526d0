/**
 * Rows as text in aligned columns, under a line of column names. An absent value is a dash. Control characters are
 * escaped as in JSON, so that no name or record breaks a line or controls the terminal.
 */
export function table<Column extends string>(
  columns: readonly Column[],
  rows: readonly Record<Column, string | number | null>[],
): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  // A loop, because a call cannot take a hundred thousand arguments.
  const widths = columns.map((_, index) =>
    lines.reduce((width, line) => Math.max(width, line[index]?.length ?? 0), 0),
  );
  return lines
    .map(
      (line) =>
        `${line
          .map((text, index) => text.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function cell(value: string | number | null): string {
  // The second range contains the characters that change the direction of the surrounding text.
  return String(value ?? '-').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, escape);
}

function escape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
