// Bundles libs/console into a folder that the service serves: a page, scripts and a style sheet with hashed names, each also
// compressed, and a manifest that lists them.
//
//   node scripts/build-console.mjs FOLDER
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { runNode } from './child.mjs';
import { root, StepError } from './project.mjs';

const source = 'libs/console';
const entries = { script: `${source}/src/main.tsx`, styles: `${source}/console.css` };

/** The oldest browsers that have everything that the console and the client use, AbortSignal.any last. */
const browsers = 'chrome116,firefox124,safari17.4';

const types = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Builds the console into an empty folder, which it makes. */
export async function buildConsole(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { outputs } = await bundle(folder);
  const made = Object.keys(outputs).map((path) => basename(path));
  const icon = addHashed(folder, 'icon.svg', readFileSync(join(root, source, 'icon.svg')));
  const licences = addHashed(folder, 'licences.txt', licencesOf(packagesIn(outputs)));

  const names = { script: outputOf(outputs, entries.script), styles: outputOf(outputs, entries.styles) };
  const page = readFileSync(join(root, source, 'index.html'), 'utf8')
    .replace('console/main.js', `console/${names.script}`)
    .replace('console/console.css', `console/${names.styles}`)
    .replace('console/icon.svg', `console/${icon}`)
    .replace('console/licences.txt', `console/${licences}`)
    .replace('    <!-- preloads -->\n', preloads(staticImports(outputs, entries.script)));
  writeFileSync(join(folder, 'index.html'), page);

  const files = Object.fromEntries(
    [...made, icon, licences].sort().map((name) => [name, compressed(folder, name)]),
  );
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify({ page: 'index.html', files }, null, 2)}\n`);
}

/**
 * Runs esbuild and reads its metafile. It is WebAssembly of 14 MB. Node would compile it twice, quickly and then well, which
 * takes ten times as long as the bundling; `--liftoff-only` leaves out the second time.
 */
async function bundle(folder) {
  const metafile = join(folder, 'metafile.json');
  const { ok, output } = await runNode([
    '--liftoff-only',
    join(root, 'node_modules/esbuild-wasm/bin/esbuild'),
    ...Object.values(entries),
    '--bundle',
    '--splitting',
    '--format=esm',
    '--minify',
    '--legal-comments=linked',
    `--target=${browsers}`,
    '--define:process.env.NODE_ENV="production"',
    '--entry-names=[name]-[hash]',
    `--inject:${source}/src/first-chunk.ts`,
    '--chunk-names=[name]-[hash]',
    `--tsconfig=${source}/tsconfig.json`,
    `--outdir=${relative(root, folder)}`,
    `--metafile=${relative(root, metafile)}`,
    '--log-level=warning',
  ]);
  if (!ok) throw new StepError(`${output}\nThe console could not be built.`);
  const meta = JSON.parse(readFileSync(metafile, 'utf8'));
  rmSync(metafile);
  return meta;
}

function outputOf(outputs, entry) {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  if (found === undefined) throw new StepError(`${entry} is missing from the bundle.`);
  return basename(found[0]);
}

/** The scripts that the first one needs before it runs: the browser asks for all of them at once. */
function staticImports(outputs, entry) {
  const [, { imports }] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  return imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
}

function preloads(names) {
  return names.map((name) => `    <link rel="modulepreload" href="console/${name}" />\n`).join('');
}

/** Copies a file under a name that changes with its content. */
function addHashed(folder, name, content) {
  const [, stem, ending] = /^(.*)(\.\w+)$/.exec(name);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase();
  const hashed = `${stem}-${hash}${ending}`;
  writeFileSync(join(folder, hashed), content);
  return hashed;
}

/** Writes a file's compressed forms beside it, unless they would be larger. */
function compressed(folder, name) {
  const content = readFileSync(join(folder, name));
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  const forms = { br: brotliCompressSync(content, { params }), gzip: gzipSync(content, { level: 9 }) };
  const encodings = Object.entries(forms).filter(([, bytes]) => bytes.length < content.length);
  for (const [encoding, bytes] of encodings) {
    writeFileSync(join(folder, `${name}${encoding === 'br' ? '.br' : '.gz'}`), bytes);
  }
  const type = types[/\.\w+$/.exec(name)[0]];
  return {
    type,
    bytes: content.length,
    encodings: Object.fromEntries(encodings.map(([n, b]) => [n, b.length])),
  };
}

/** The folders of the packages that are part of the bundle. */
function packagesIn(outputs) {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const folders = inputs.flatMap(
    (path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(folders)].sort();
}

/** Name, version, licence and its text, of each package. `licences.allow.json` has to name the same packages. */
function licencesOf(packages) {
  const { bundled } = JSON.parse(readFileSync(join(root, 'licences.allow.json'), 'utf8'));
  const unnamed = packages.filter((name) => !bundled.includes(name));
  const absent = bundled.filter((name) => !packages.includes(name));
  if (unnamed.length > 0 || absent.length > 0) {
    throw new StepError(
      `licences.allow.json has to name the packages of the console: ${packages.join(', ')}.`,
    );
  }
  return packages.map(licenceOf).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(name) {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license'].map((file) => join(folder, file));
  const found = text.find((path) => existsSync(path));
  return `${name} ${version} (${license})\n\n${found === undefined ? '' : readFileSync(found, 'utf8').trim()}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) {
    console.error('Usage: node scripts/build-console.mjs FOLDER');
    process.exitCode = 2;
  } else {
    const aside = resolve(folder);
    process.chdir(root);
    await buildConsole(aside).catch((error) => {
      console.error(error instanceof StepError ? error.message : error);
      process.exitCode = 1;
    });
  }
}
