import { join } from 'node:path';
import { runNode } from './child.mjs';
import { root } from './project.mjs';

/** Runs the bench with the arguments of its command line, see bench/main.ts. Resolves to whether all was measured. */
export async function bench(args) {
  const { ok } = await runNode(
    ['-r', join(root, 'scripts/register-typescript.cjs'), join(root, 'bench/main.ts'), ...args],
    { show: true },
  );
  return ok;
}
