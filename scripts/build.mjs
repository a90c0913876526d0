import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildConsole } from './build-console.mjs';
import { runNode } from './child.mjs';
import { digestOf } from './digest.mjs';
import { alone } from './lock.mjs';
import { root, StepError, tool } from './project.mjs';

const dist = join(root, 'dist');
const stamp = join(dist, '.built-from');
const sources = [
  'src',
  'libs',
  'tools',
  'migrations',
  'docs',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
  'licences.allow.json',
  'scripts/build-console.mjs',
];

/** Compiles the sources into dist if they have changed since the last build. */
export async function build() {
  if (isFresh()) return;
  await alone(async () => {
    if (isFresh()) return;
    console.error('Building …');
    const digest = digestOf(sources, isCompiled);
    for (const name of existsSync(dist) ? readdirSync(dist) : []) {
      if (name.startsWith('.building-')) rmSync(join(dist, name), { recursive: true }); // of a build that was killed
    }
    const aside = buildingFolder();
    try {
      await Promise.all([compileInto(aside), consoleInto(join(aside, 'console'))]);
      rmSync(stamp, { force: true });
      moveIntoPlace(aside);
      writeFileSync(stamp, digest);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  });
}

/** Builds with or without the console and discards the result. The bench uses it to measure what the console adds. */
export async function tryBuild({ withConsole }) {
  const aside = buildingFolder();
  try {
    await Promise.all([compileInto(aside), ...(withConsole ? [buildConsole(join(aside, 'console'))] : [])]);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

const buildingFolder = () => join(dist, `.building-${process.pid}`);

const isCompiled = (path) => !path.endsWith('.spec.ts');

function isFresh() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOf(sources, isCompiled);
}

/** Runs the Nest CLI with the project's settings, but for the output folder. */
async function compileInto(aside) {
  mkdirSync(aside, { recursive: true });
  const out = relative(root, join(aside, 'out')).replaceAll('\\', '/');
  const settings = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));
  const { compilerOptions } = settings;
  const tsConfigPath = join(aside, 'tsconfig.json');
  writeFileSync(
    tsConfigPath,
    JSON.stringify({
      extends: `../../${compilerOptions.tsConfigPath}`,
      // The source maps move along with the code; an absolute root keeps their paths to the sources valid.
      compilerOptions: { outDir: './out', sourceRoot: pathToFileURL(`${root}/`).href },
    }),
  );
  compilerOptions.tsConfigPath = relative(root, tsConfigPath);
  for (const asset of compilerOptions.assets ?? []) {
    if (asset.outDir) asset.outDir = asset.outDir.replace(/^dist/, out);
  }
  const config = join(aside, 'nest-cli.json');
  writeFileSync(config, JSON.stringify(settings));
  const { ok, output } = await runNode([
    tool('nest', '@nestjs/cli'),
    'build',
    '--config',
    relative(root, config),
  ]);
  if (!ok) throw new StepError(`${output}\nThe service could not be built.`);
}

/** The service works without its console, so a fault there does not keep it from starting. */
async function consoleInto(folder) {
  try {
    await buildConsole(folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    rmSync(join(dist, 'console'), { recursive: true, force: true }); // It may not fit this service.
    console.error(`${error?.message ?? error}\nThe service starts without its console.`);
  }
}

/** Renames each folder once, so that a running service misses its files for a moment only. */
function moveIntoPlace(aside) {
  // The compiler empties its folder first, so the console is made beside it.
  if (existsSync(join(aside, 'console'))) renameSync(join(aside, 'console'), join(aside, 'out/console'));
  for (const name of readdirSync(join(aside, 'out'))) {
    const place = join(dist, name);
    if (existsSync(place)) renameSync(place, join(aside, `${name}-before`));
    renameSync(join(aside, 'out', name), place);
  }
}
