import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The project's folder. */
export const root = join(__dirname, '../..');

/** The text of a file, by its path from the project's folder. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** A fenced block: its language and its lines. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a document, in order. */
export function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/**
 * The part of a document under a heading of the second level.
 *
 * @throws Error when there is no such heading
 */
export function sectionOf(markdown: string, heading: string): string {
  const parts = markdown.split(/^## /m).filter((part) => part.startsWith(`${heading}\n`));
  const [section, ...others] = parts;
  if (section === undefined || others.length > 0) throw new Error(`Not one heading "${heading}"`);
  return section;
}

/** The cells of the first column of a text's tables that are one word of code, without the backquotes. */
export function firstColumn(text: string): readonly string[] {
  return [...text.matchAll(/^\| `([^`|]+)` *\|/gm)].map(([, cell = '']) => cell);
}

const notOurs = new Set(['node_modules', 'dist', 'coverage', '.data', '.git']);

/** Every Markdown file of the project, by its path from the project's folder. */
export function documents(folder = ''): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : documents(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** The cells of a text's only table, without the heading. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  const [, , ...rows] = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.map(cellsOf);
}

// A backslash escapes a bar inside a cell.
function cellsOf(line: string): readonly string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** A document with other rows in the only table of a section, laid out as Prettier does. */
export function withRows(markdown: string, heading: string, rows: readonly (readonly string[])[]): string {
  const section = sectionOf(markdown, heading);
  const table = section.split('\n').filter((line) => line.startsWith('|'));
  const lines = [cellsOf(table[0] ?? ''), ...rows];
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const laidOut = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  laidOut.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return markdown.replace(
    section,
    section.replace(table.join('\n'), () => laidOut.join('\n')),
  );
}
