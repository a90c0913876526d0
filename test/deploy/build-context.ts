import { textOf } from './project';

/**
 * Whether .dockerignore lets a file into the build: the last pattern that matches it, or a folder it is in, decides. It knows
 * the forms that the project's file uses: `*` for any one name, `**` in front for any folder, `!` for an exception.
 */
export function isInBuildContext(path: string): boolean {
  let included = true;
  for (const line of textOf('.dockerignore').split('\n')) {
    const pattern = line.trim();
    if (pattern === '' || pattern.startsWith('#')) continue;
    const exception = pattern.startsWith('!');
    if (matches(exception ? pattern.slice(1) : pattern, path)) included = exception;
  }
  return included;
}

function matches(pattern: string, path: string): boolean {
  const expression = pattern
    .split('/')
    .map((part) =>
      part === '**' ? '(?:.*/)?' : `${part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*')}/`,
    )
    .join('')
    .replace(/\/$/, '');
  return new RegExp(`^${expression}(?:/|$)`).test(path);
}
