import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const PACKAGE = '@construction-data-translation/client';

const root = join(__dirname, '../..');
const run = promisify(execFile);

/** What the compiler says of a program that uses the installed package. */
export async function problemsOfTypes(folder: string, file: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
  const types = ['--typeRoots', join(root, 'node_modules/@types')];
  const { stdout } = await run(process.execPath, [compiler, ...options, ...types, file], { cwd: folder });
  return stdout;
}

/** An empty project in which the client is installed from its file, without a network. */
export async function emptyProjectWithClient(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'translation-client-'));
  const packed: string[] = [];
  for (const each of [
    'libs/client',
    'node_modules/openapi-fetch',
    'node_modules/openapi-typescript-helpers',
  ]) {
    const [file] = await npm(join(root, each), 'pack', '--json', '--pack-destination', folder);
    packed.push(`./${file?.filename ?? ''}`);
    if (each === 'libs/client') {
      const names = file?.files.map(({ path }) => path) ?? [];
      expect(names).toEqual(
        expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'package.json', 'README.md']),
      );
      expect(names.filter((name) => !/^dist\/|^package\.json$|^README\.md$/.test(name))).toEqual([]);
    }
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  // What the client depends on comes from files as well, in place of the registry.
  await npm(folder, 'install', '--json', '--offline', '--no-audit', '--no-fund', ...packed);
  return folder;
}

/** A file that npm has packed. */
interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

async function npm(cwd: string, ...args: readonly string[]): Promise<readonly Packed[]> {
  // The npm that runs this test hands its own options on, such as to be silent.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const { stdout } = await run('npm', args, { cwd, env });
  // Scripts of the package print before npm does.
  const json = stdout.slice(Math.max(0, stdout.search(/^[[{]/m)));
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? (parsed as Packed[]) : []; // As npm prints it.
}
