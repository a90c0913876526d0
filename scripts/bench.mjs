import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from './child.mjs';
import { root } from './project.mjs';

/** Runs bench/*.bench.ts one after the other, or those whose name contains one of the words. Resolves to false if one fails. */
export async function bench(words) {
  const folder = join(root, 'bench');
  const files = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith('.bench.ts'))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  let allOk = files.length > 0;
  if (!allOk) console.error('There is no such bench.');
  for (const name of files) {
    console.log(`\n${name}`);
    const { ok } = await runNode(['-r', join(root, 'scripts/register-typescript.cjs'), join(folder, name)], {
      show: true,
    });
    allOk &&= ok;
  }
  return allOk;
}
