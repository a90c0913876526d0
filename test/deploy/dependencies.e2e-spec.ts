import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { jsonOf, root } from './project';

jest.setTimeout(30_000);

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Record<string, string>;
}

const project = jsonOf('package.json');
const lock: { lockfileVersion: number; packages: Record<string, Locked> } = jsonOf('package-lock.json');
const locked = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
);
const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe('package.json', () => {
  it.each(['dependencies', 'devDependencies', 'optionalDependencies'])('pins its %s exactly', (kind) => {
    const ranges = Object.entries<string>(project[kind]);
    expect(ranges.length).toBeGreaterThan(0);
    expect(ranges.filter(([, range]) => !/^(npm:[@\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(range))).toEqual(
      [],
    );
  });

  it('says of every package with an install script whether it may run', () => {
    const scripted = locked
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => nameOf(path));
    expect(scripted.length).toBeGreaterThan(0);
    expect(Object.keys(project.allowScripts)).toEqual(expect.arrayContaining(scripted));
  });
});

describe('package-lock.json', () => {
  it('belongs to this package.json', () => {
    for (const kind of ['name', 'version', 'dependencies', 'devDependencies', 'optionalDependencies']) {
      expect(lock.packages['']).toHaveProperty(kind, project[kind]);
    }
  });

  it('has version and checksum of every package', () => {
    expect(locked.length).toBeGreaterThan(100);
    const unsure = locked.filter(
      ([, { version, integrity }]) => !version || !integrity?.startsWith('sha512-'),
    );
    expect(unsure.map(([path]) => path)).toEqual([]);
  });

  it('holds the optional packages of every platform, without which npm ci refuses it elsewhere', () => {
    const missing = locked.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isFoundFrom(path, name)),
    );
    expect(missing).toEqual([]);
  });

  it('names no registry', () => {
    expect(lock.lockfileVersion).toBe(3);
    expect(locked.filter(([, entry]) => 'resolved' in entry)).toEqual([]);
  });
});

/** Finds a package as Node does: beside the one that needs it, or further out. */
function isFoundFrom(path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === '') return false;
  }
}

describe('licences.mjs', () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  function licences(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, [join(root, 'scripts/licences.mjs'), ...args], (error, out, err) =>
        resolve({ code: error === null ? 0 : error.code, out, err }),
      );
    });
  }

  /** Makes a project that allows MIT and ISC, with these packages in its lock file and these files. */
  async function aProject(
    packages: Record<string, object>,
    { exceptions = {}, files = {} }: { exceptions?: object; files?: Record<string, object> } = {},
  ): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'licences-'));
    folders.push(folder);
    const all = {
      'package-lock.json': { packages: { '': { license: 'Secret' }, ...packages } },
      'licences.allow.json': { allowed: ['MIT', 'ISC'], exceptions },
      ...files,
    };
    for (const [path, content] of Object.entries(all)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), JSON.stringify(content));
    }
    return folder;
  }

  it.each([[[]], [['--dev']]])('finds nothing against the packages of this project with %j', async (args) => {
    const { code, out, err } = await licences(...args);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^\d+ dependencies, 0 problems\n$/),
    });
    const { version } = jsonOf('node_modules/express/package.json');
    expect(out).toMatch(new RegExp(`^express +${version.replaceAll('.', '\\.')} +MIT$`, 'm'));
    expect(/^jest /m.test(out)).toBe(args.length > 0);
  });

  it.each(['MIT', '(MIT OR GPL-3.0)', 'GPL-3.0 OR ISC AND MIT', '(GPL-3.0 OR ISC) AND MIT'])(
    'allows %s',
    async (license) => {
      const folder = await aProject({ 'node_modules/a': { version: '1.0.0', license } });
      expect(await licences(folder)).toEqual({
        code: 0,
        out: `a  1.0.0  ${license}\n`,
        err: '1 dependencies, 0 problems\n',
      });
    },
  );

  it.each([
    'GPL-3.0',
    'MIT AND GPL-3.0',
    '(MIT OR ISC) AND GPL-3.0',
    'MIT WITH x',
    'MIT ISC',
    '(MIT',
    'UNLICENSED',
    'mit-ish',
    '',
  ])('does not allow %j', async (license) => {
    const folder = await aProject({ 'node_modules/a': { version: '1.0.0', license } });
    expect(await licences(folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining('a@1.0.0 is under'),
    });
  });

  it('prefers the licence in an installed package to the lock file, also in old forms', async () => {
    const folder = await aProject(
      {
        'node_modules/a': { version: '1.0.0', license: 'MIT' },
        'node_modules/a/node_modules/@s/b': { version: '2.0.0' },
        'node_modules/c': { version: '3.0.0' },
      },
      {
        files: {
          'node_modules/a/package.json': { license: 'GPL-3.0' },
          'node_modules/a/node_modules/@s/b/package.json': { licenses: [{ type: 'MIT' }, { type: 'ISC' }] },
          'node_modules/c/package.json': { license: { type: 'ISC' } },
        },
      },
    );
    expect(await licences(folder)).toEqual({
      code: 1,
      out: '@s/b  2.0.0  MIT AND ISC\na     1.0.0  GPL-3.0\nc     3.0.0  ISC\n',
      err: 'a@1.0.0 is under GPL-3.0, which licences.allow.json does not allow\n3 dependencies, 1 problems\n',
    });
  });

  it('does not pass over a package that names none', async () => {
    const folder = await aProject({ 'node_modules/a': { version: '1.0.0' } });
    expect(await licences(folder)).toMatchObject({
      code: 1,
      err: expect.stringContaining('a@1.0.0 names no licence'),
    });
  });

  it('lists packages of development with --dev, and never the project itself', async () => {
    const folder = await aProject({
      'node_modules/a': { version: '1.0.0', license: 'GPL-3.0', dev: true },
      'node_modules/own': { link: true },
      'libs/own': { version: '1.0.0', license: 'Secret' },
    });
    expect(await licences(folder)).toMatchObject({ code: 0, out: '' });
    expect(await licences('--dev', folder)).toMatchObject({ code: 1, out: 'a  1.0.0  GPL-3.0\n' });
  });

  it('makes an exception for a named package under the named licence, with a reason', async () => {
    const packages = { 'node_modules/a': { version: '1.0.0', license: 'GPL-3.0' } };
    const made = async (a: object) =>
      (await licences('--dev', await aProject(packages, { exceptions: { a } }))).code;
    expect(await made({ licence: 'GPL-3.0', reason: 'Only run, never linked.' })).toBe(0);
    expect(await made({ licence: 'GPL-3.0' })).toBe(1);
    expect(await made({ licence: 'GPL-2.0', reason: 'Another licence.' })).toBe(1);
  });

  it('finds an exception that nothing needs', async () => {
    const exceptions = { gone: { licence: 'GPL-3.0', reason: 'Once.' } };
    expect(await licences('--dev', await aProject({}, { exceptions }))).toMatchObject({
      code: 1,
      err: expect.stringContaining('no dependency needs the exception for gone'),
    });
  });

  it('ends with its usage for other arguments', async () => {
    expect(await licences('--help')).toEqual({ code: 2, out: '', err: expect.stringContaining('Usage:') });
  });
});
