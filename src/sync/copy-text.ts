/**
 * Lines of PostgreSQL's COPY text format: tab between columns, `\N` for null, backslash before what would be read as
 * one of these (PostgreSQL documentation, COPY, "Text Format").
 */
export function copyLine(columns: readonly (string | null)[]): string {
  let line = '';
  for (const [place, column] of columns.entries())
    line += place === 0 ? copyColumn(column) : `\t${copyColumn(column)}`;
  return `${line}\n`;
}

function copyColumn(value: string | null): string {
  if (value === null) return '\\N';
  return /[\\\t\n\r]/.test(value)
    ? value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)
    : value;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
