import { validate } from 'dockerfile-utils';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isInBuildContext } from './build-context';
import { argumentsOf, copies, execForm, lastStage, stages } from './image';
import { root, sourceOf, textOf } from './project';

describe('Dockerfile', () => {
  const image = lastStage();

  it('has no fault that a parser of the format can find', () => {
    expect(validate(textOf('Dockerfile'))).toEqual([]);
  });

  it('builds every stage on the Node that .nvmrc recommends, on Debian', () => {
    expect(textOf('Dockerfile')).toMatch(
      new RegExp(`^ARG NODE_IMAGE=node:${textOf('.nvmrc').trim()}-[a-z]+-slim$`, 'm'),
    );
    expect(stages().map(({ from }) => from)).toEqual(stages().map(() => '${NODE_IMAGE}'));
  });

  it('runs no install script, and leaves the embedded PostgreSQL out', () => {
    const installs = stages().flatMap((stage) =>
      argumentsOf(stage, 'RUN').filter((run) => run.includes('npm ci')),
    );
    expect(installs).toHaveLength(2);
    for (const install of installs) expect(install).toMatch(/ --omit=optional --ignore-scripts /);
  });

  it('takes the packages of production alone into the image', () => {
    const from = copies(image).find(({ sources }) =>
      sources.some((source) => source.endsWith('/node_modules')),
    )?.stage;
    const stage = stages().find(({ name }) => name === from);
    expect(stage && argumentsOf(stage, 'RUN').join()).toContain('npm ci --omit=dev ');
  });

  it('copies what is there and what .dockerignore lets in, from nowhere else', () => {
    const names = stages().map(({ name }) => name);
    for (const { keyword, stage, sources } of stages().flatMap(copies)) {
      expect(keyword).toBe('COPY');
      if (stage !== undefined) {
        expect(names).toContain(stage);
        continue;
      }
      for (const source of sources) {
        expect({ source, exists: existsSync(join(root, source)) }).toEqual({ source, exists: true });
        expect({ source, included: isInBuildContext(source) }).toEqual({ source, included: true });
      }
    }
  });

  it('has the pages that the service serves', () => {
    const [build] = stages();
    expect(build === undefined ? [] : copies(build).flatMap(({ sources }) => sources)).toContain('docs');
  });

  it('gives its files to root, and runs as a user that is a number and not root', () => {
    expect(copies(image).map(({ owner }) => owner)).toEqual(copies(image).map(() => '0:0'));
    expect(argumentsOf(image, 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
    // Root may write nothing once the user has changed.
    expect(image.instructions.map((instruction) => instruction.getKeyword())).toEqual([
      ...['RUN', 'ENV', 'WORKDIR', 'COPY', 'COPY', 'COPY'],
      ...['USER', 'EXPOSE', 'HEALTHCHECK', 'ENTRYPOINT', 'CMD'],
    ]);
  });

  it('starts the service that the build makes, without a shell in between', () => {
    const [entry = '', ...moreEntries] = argumentsOf(image, 'ENTRYPOINT');
    const [command = '', ...moreCommands] = argumentsOf(image, 'CMD');
    expect([...moreEntries, ...moreCommands]).toEqual([]);
    expect(execForm(entry)[0]).toBe('node');
    expect(execForm(command)).toEqual(['dist/src/main.js']);
    expect(existsSync(join(root, sourceOf('dist/src/main.js')))).toBe(true);
  });

  it('asks the process, not the database, whether the container is healthy', () => {
    const [check = '', ...more] = argumentsOf(image, 'HEALTHCHECK');
    expect(more).toEqual([]);
    expect(execForm(check.replace(/^CMD /, ''))).toEqual(['node', 'healthcheck.mjs', '/livez']);
    expect(copies(image).flatMap(({ sources }) => sources)).toContain('/build/healthcheck.mjs');
  });
});

describe('.dockerignore', () => {
  it.each([
    '.env',
    '.env.production',
    '.git/config',
    '.data/cluster/postgresql.conf',
    'node_modules/pg/package.json',
    'libs/client/node_modules/pg/package.json',
    'src/.env',
    'src/runtime/config/environment.spec.ts',
    'test/support/app/app.ts',
    'deploy/kubernetes/namespace.yaml',
    'deploy/image2/file',
    'srcs',
    'documents/api.md',
  ])('keeps %s out', (path) => {
    expect(isInBuildContext(path)).toBe(false);
  });

  it('lets in all that the build compiles', () => {
    const sources = ['src', 'libs', 'migrations']
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
          join(folder, path),
        ),
      )
      .filter((path) => /\.(ts|json)$/.test(path) && !/\.spec\.ts$|node_modules/.test(path));
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((path) => !isInBuildContext(path))).toEqual([]);
  });
});
