import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Something the scripts run has failed; the message holds what it printed. */
export class StepError extends Error {
  name = 'StepError';
}

/** The script behind a command that a package of node_modules brings. */
export function tool(name, from = name) {
  const folder = join(root, 'node_modules', from);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[name]);
}
