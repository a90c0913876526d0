import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endChildren } from './children';
import { startDatabases, type Databases } from './databases';

/** The environment of a measurement: a separate database server, and a folder for logs. */
export interface Workplace {
  readonly databases: Databases;
  readonly folder: string;
}

/**
 * Measures in a workplace that is removed afterwards, also after an interrupt.
 *
 * @param name prefix of the folder's name
 * @param keep leaves the folder, and prints its path
 */
export async function inWorkplace<Result>(
  { name, keep = false }: { readonly name: string; readonly keep?: boolean },
  measure: (workplace: Workplace) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const databases = await startDatabases(join(folder, 'database'));
  const leave = async (): Promise<void> => {
    endChildren();
    await databases.stop();
    if (keep) process.stdout.write(`Logs: ${folder}\n`);
    else await rm(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void leave().finally(() => process.exit(1)));
  }
  try {
    return await measure({ databases, folder });
  } finally {
    await leave();
  }
}

/** The values of `--node=…`: options for the service's process. */
export function nodeOptionsIn(args: readonly string[]): readonly string[] {
  return args.filter((arg) => arg.startsWith('--node=')).map((arg) => arg.slice('--node='.length));
}
