import { join } from 'node:path';
import { ensureBrowser } from './browser.mjs';
import { runNode } from './child.mjs';
import { root } from './project.mjs';

/** Runs the bench with the arguments of its command line, see bench/main.ts. Resolves to whether all was measured. */
export async function bench(args) {
  const noBrowser = await ensureBrowser();
  if (noBrowser !== undefined) console.error(noBrowser);
  const { ok } = await runNode(
    ['-r', join(root, 'scripts/register-typescript.cjs'), join(root, 'bench/main.ts'), ...args],
    { show: true },
  );
  return ok;
}
