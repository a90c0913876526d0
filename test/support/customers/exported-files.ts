import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Texts of files by name. */
export type Files = Readonly<Record<string, string>>;

// The usual decoding drops the byte order mark.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A CSV file with its byte order mark, which must succeed. */
export async function csvOf(url: string, key: string, path: string): Promise<string> {
  const response = await fetch(`${url}/api/v1${path}`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
  });
  const body = decoder.decode(await response.arrayBuffer());
  expect({ path, status: response.status, body: response.ok ? '' : body }).toEqual({
    path,
    status: 200,
    body: '',
  });
  return body;
}

/** The cells of a file, head included. Guarded text keeps its apostrophe. */
export function cellsOf(file: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  for (const [, quoted, bare = '', end] of file
    .replace(/^\ufeff/, '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end !== ',') rows.push([]);
  }
  return rows.slice(0, -1);
}

/** The rows of a file by the names of its columns, without its head. */
export function rowsOf(file: string): readonly Readonly<Record<string, string>>[] {
  const cells = cellsOf(file);
  const behindHead = cells[0]?.[0] === 'file' ? cells.findIndex((row) => row.join('') === '') : -1;
  const [columns = [], ...rows] = cells.slice(behindHead + 1);
  return rows.map((row) => Object.fromEntries(columns.map((name, place) => [name, row[place] ?? ''])));
}

/** Runs examples/add-up.mjs over files, in a folder that has nothing else. */
export async function addUp(
  files: Files,
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'add-up-'));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const script = join(__dirname, '../../../examples/add-up.mjs');
    const process_ = spawn(process.execPath, [script, ...Object.keys(files)], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(process_, 'exit');
    const [out, err] = await Promise.all([text(process_.stdout), text(process_.stderr)]);
    const [code] = (await ended) as [number | null];
    return { code, out, err };
  } finally {
    await rm(folder, { recursive: true });
  }
}
