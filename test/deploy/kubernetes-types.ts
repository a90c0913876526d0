import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './project';

/** An object of the Kubernetes API. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
}

/**
 * Finds what the Kubernetes API would not accept: misspelt and misplaced fields, values of a wrong type, missing ones. Compiles
 * the manifests as literals of the TypeScript types that were made from the API's own description.
 *
 * @returns the compiler's complaints, one a line
 */
export async function apiProblems(manifests: readonly Manifest[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'manifests-'));
  try {
    const file = join(folder, 'manifests.ts');
    await writeFile(file, manifests.map(literalOf).join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--pretty', 'false'];
    const output = await run(
      [join(root, 'node_modules/@typescript/native/bin/tsc'), ...options, file],
      folder,
    );
    return output.split('\n').filter((line) => line !== '');
  } finally {
    await rm(folder, { recursive: true });
  }
}

function literalOf(manifest: Manifest, index: number): string {
  const [version = '', group = 'core'] = manifest.apiVersion.split('/').reverse();
  const from = join(root, 'node_modules/kubernetes-types', group.split('.')[0] ?? '', version);
  return `export const m${index}: import(${JSON.stringify(from)}).${manifest.kind} = ${JSON.stringify(manifest)};`;
}

/** The output of a Node script. Its exit code adds nothing. */
function run(args: string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd }, (_error, out, err) => resolve(out + err));
  });
}
