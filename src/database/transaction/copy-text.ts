/**
 * Lines of PostgreSQL's COPY text format: a tab between columns, `\N` for null, and a backslash before each character
 * that would be read as one of these (PostgreSQL documentation, COPY, "Text Format").
 */
export function copyLine(columns: readonly (string | null)[]): string {
  let line = '';
  for (const [place, column] of columns.entries())
    line += place === 0 ? copyColumn(column) : `\t${copyColumn(column)}`;
  return `${line}\n`;
}

function copyColumn(value: string | null): string {
  if (value === null) return '\\N';
  return needsEscape(value)
    ? value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)
    : value;
}

// Four searches for a single character are faster than one regular expression, except for short texts.
const SHORT = 64;

function needsEscape(value: string): boolean {
  if (value.length < SHORT) return /[\\\t\n\r]/.test(value);
  return value.includes('\\') || value.includes('\t') || value.includes('\n') || value.includes('\r');
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
