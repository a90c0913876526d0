import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The content encodings in which a file is kept, in order of preference. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A file of the console, in each form in which it can be sent. */
export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly encoded: ReadonlyMap<Encoding, Buffer>;
}

/** The files of the console. */
export interface ConsoleFiles {
  readonly page: Buffer;
  /** Assets by name; the names change with the content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** The console is missing or damaged. The message says what. */
export class ConsoleMissing extends Error {}

const endings: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** The form of file names that the build creates. Files with other names are not read. */
const fileName = /^[\w-]+(?:\.[\w-]+)*$/;

/**
 * Reads the console into memory, some 1 MB. So a running service always serves one complete build, even if a later
 * build replaces the files.
 *
 * @param folder written by `scripts/build-console.mjs`
 * @throws ConsoleMissing
 */
export function readConsole(folder: string): ConsoleFiles {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const { page, files } = checked(manifest);
    const assets = Object.entries(files).map(([name, { type, encodings }]): [string, ConsoleFile] => [
      name,
      {
        type,
        plain: readFileSync(join(folder, name)),
        encoded: new Map(
          encodings.map((encoding) => [encoding, readFileSync(join(folder, name + endings[encoding]))]),
        ),
      },
    ]);
    return { page: readFileSync(join(folder, page)), assets: new Map(assets) };
  } catch (error) {
    if (error instanceof ConsoleMissing) throw error;
    throw new ConsoleMissing(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

interface Manifest {
  readonly page: string;
  readonly files: Readonly<
    Record<string, { readonly type: string; readonly encodings: readonly Encoding[] }>
  >;
}

function checked(manifest: unknown): Manifest {
  if (!isObject(manifest) || !isObject(manifest['files']) || !isFileName(manifest['page'])) {
    throw new ConsoleMissing('manifest.json has another form');
  }
  const files = Object.entries(manifest['files']).map(([name, file]): [string, Manifest['files'][string]] => {
    if (
      !isFileName(name) ||
      !isObject(file) ||
      typeof file['type'] !== 'string' ||
      !isObject(file['encodings'])
    ) {
      throw new ConsoleMissing(`manifest.json has another form at ${name}`);
    }
    const kept = file['encodings'];
    return [name, { type: file['type'], encodings: ENCODINGS.filter((encoding) => encoding in kept) }];
  });
  return { page: manifest['page'], files: Object.fromEntries(files) };
}

function isFileName(value: unknown): value is string {
  return typeof value === 'string' && fileName.test(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
