import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readConsole, type ConsoleFiles } from '../../../src/console/console-files';

const root = join(__dirname, '../../..');
const kept = join(root, 'node_modules/.cache/console');
/** The sources from which the console is built. */
const sources = [
  'libs/console',
  'libs/client/src',
  'libs/mapper/src/money/currencies.ts',
  'scripts/build-console.mjs',
  'package-lock.json',
  'licences.allow.json',
];

let folder: Promise<string> | undefined;

/** The folder of the console, built from the present sources once for all test files. */
export function consoleFolder(): Promise<string> {
  return (folder ??= builtFolder());
}

async function builtFolder(): Promise<string> {
  const hash = createHash('sha256');
  for (const path of sources.flatMap((source) => filesIn(join(root, source)))) {
    hash.update(`${path}\0`).update(readFileSync(path));
  }
  const folder = join(kept, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  const aside = `${folder}.${process.pid}`;
  await promisify(execFile)(process.execPath, ['scripts/build-console.mjs', aside], { cwd: root });
  try {
    renameSync(aside, folder);
  } catch {
    rmSync(aside, { recursive: true }); // Another test file was quicker.
  }
  return folder;
}

export async function builtConsole(): Promise<ConsoleFiles> {
  return readConsole(await consoleFolder());
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}
