import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../../src/runtime/config/environment';

/** The project's folder. */
export const root = join(__dirname, '../..');

/** The text of one of the project's files. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** A JSON file of the project; tests look into it freely. */
export function jsonOf(path: string): ReturnType<typeof JSON.parse> {
  return JSON.parse(textOf(path));
}

/** Every variable that the service reads. */
export function knownVariables(): string[] {
  const asked: string[] = [];
  readEnvironment(new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void asked.push(String(name)) }));
  return asked;
}

/**
 * The source that the build makes a file of, as `src/main.ts` for `dist/src/main.js`.
 *
 * @throws Error when no build writes that file
 */
export function sourceOf(built: string): string {
  const { rootDir, outDir } = jsonOf('tsconfig.json').compilerOptions;
  if (rootDir !== '.' || outDir !== './dist') throw new Error('The build writes to another place than dist');
  const source = /^dist\/(.*)\.js$/.exec(built)?.[1];
  if (source === undefined || !jsonOf('tsconfig.build.json').include.includes(source.split('/')[0])) {
    throw new Error(`The build does not write ${built}`);
  }
  return `${source}.ts`;
}
