import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const PACKAGE = '@construction-data-translation/client';

const root = join(__dirname, '../..');
const run = promisify(execFile);

/**
 * What the compiler says of each of these programs, by name, all in one run: it takes seconds to read the types, whatever it
 * compiles then.
 */
export async function problemsOfTypes<Name extends string>(
  folder: string,
  programs: Readonly<Record<Name, string>>,
): Promise<Readonly<Record<Name, string>>> {
  const names = Object.keys(programs) as Name[]; // They are the keys of a record that was written here.
  for (const name of names) writeFileSync(join(folder, `${name}.mts`), programs[name]);
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
  // The language's own types are no part of the package.
  const types = [
    '--skipDefaultLibCheck',
    '--pretty',
    'false',
    '--typeRoots',
    join(root, 'node_modules/@types'),
  ];
  const files = names.map((name) => `${name}.mts`);
  const { stdout } = await run(process.execPath, [compiler, ...options, ...types, ...files], {
    cwd: folder,
  }).catch((failed: { readonly stdout: string }) => failed); // Its exit code says that there are problems.
  const problems = stdout.split(/^(?=\S)/m);
  const ofNone = problems.filter((one) => !names.some((name) => one.startsWith(`${name}.mts(`)));
  expect(ofNone).toEqual([]);
  const said = names.map((name) => [name, problems.filter((one) => one.startsWith(`${name}.mts(`)).join('')]);
  return Object.fromEntries(said) as Record<Name, string>;
}

/** An empty project in which the client is installed from its file, without a network. */
export async function emptyProjectWithClient(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'translation-client-'));
  const packages = ['libs/client', 'node_modules/openapi-fetch', 'node_modules/openapi-typescript-helpers'];
  const packed = await npm(
    root,
    ...['pack', '--json', '--pack-destination', folder],
    ...packages.map((each) => `./${each}`),
  );
  expect(packed).toHaveLength(packages.length);
  const names = packed[0]?.files.map(({ path }) => path) ?? [];
  expect(names).toEqual(
    expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'package.json', 'README.md']),
  );
  expect(names.filter((name) => !/^dist\/|^package\.json$|^README\.md$/.test(name))).toEqual([]);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const files = packed.map(({ filename }) => `./${filename}`);
  // What the client depends on comes from files as well, in place of the registry.
  await npm(folder, 'install', '--json', '--offline', '--no-audit', '--no-fund', ...files);
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
