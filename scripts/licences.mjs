// Lists name, version and licence of every dependency that is shipped, and checks each licence against licences.allow.json. Ends
// with 1 if one is not allowed there. Shipped are those that package-lock.json pins for production, and those that
// licences.allow.json names as bundled into the console.
//
//   node scripts/licences.mjs [--dev] [FOLDER]      --dev: those of development too; FOLDER: another project
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './project.mjs';

const [folder = root, ...more] = process.argv.slice(2).filter((argument) => argument !== '--dev');
const withDev = process.argv.includes('--dev');
if (more.length > 0 || folder.startsWith('-')) {
  console.error('Usage: node scripts/licences.mjs [--dev] [FOLDER]');
  process.exit(2);
}

const { allowed, bundled = [], exceptions } = readJson('licences.allow.json');
const dependencies = pinned(readJson('package-lock.json').packages);
const problems = [
  ...dependencies.map(problemOf).filter((problem) => problem !== undefined),
  ...Object.entries(exceptions).flatMap(([name, exception]) => problemsOfException(name, exception)),
];

const width = (column) => Math.max(0, ...dependencies.map((dependency) => dependency[column].length));
for (const { name, version, licence } of dependencies) {
  console.log(`${name.padEnd(width('name'))}  ${version.padEnd(width('version'))}  ${licence ?? 'unknown'}`);
}
for (const problem of problems) console.error(problem);
console.error(`${dependencies.length} dependencies, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

function readJson(file, fallback) {
  try {
    return JSON.parse(readFileSync(join(resolve(folder), file), 'utf8'));
  } catch (error) {
    if (fallback !== undefined && error.code === 'ENOENT') return fallback;
    console.error(`${file} cannot be read: ${error.message}`);
    process.exit(1);
  }
}

/** Every package that some machine may install, each version once. */
function pinned(packages) {
  const found = new Map();
  for (const [path, { name, version, dev, link, license }] of Object.entries(packages)) {
    const at = path.lastIndexOf('node_modules/');
    // Anything outside node_modules is the project's own, and a link points at it.
    if (at === -1 || link) continue;
    const real = name ?? path.slice(at + 'node_modules/'.length);
    if (dev && !withDev && !bundled.includes(real)) continue;
    const licence = declared(readJson(`${path}/package.json`, {})) ?? license;
    found.set(`${real}@${version}`, { name: real, version, licence });
  }
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return [...found.values()].sort((a, b) => order(a.name, b.name) || order(a.version, b.version));
}

/** The licence in a package.json, also in the two forms that were usual before SPDX expressions. */
function declared({ license, licenses }) {
  if (typeof license === 'string') return license;
  if (typeof license?.type === 'string') return license.type;
  if (!Array.isArray(licenses) || licenses.length === 0) return undefined;
  // The old form does not say whether one of several is enough, so each has to be allowed.
  return licenses.map((entry) => entry.type ?? entry).join(' AND ');
}

function problemOf({ name, version, licence }) {
  if (licence === undefined) return `${name}@${version} names no licence`;
  if (isAllowed(licence) || exceptions[name]?.licence === licence) return undefined;
  return `${name}@${version} is under ${licence}, which licences.allow.json does not allow`;
}

function problemsOfException(name, { licence, reason }) {
  if (!licence || !reason)
    return [`licences.allow.json: the exception for ${name} needs a licence and a reason`];
  const unused = !dependencies.some((found) => found.name === name && found.licence === licence);
  // Without --dev the list leaves out those of development.
  return unused && withDev ? [`licences.allow.json: no dependency needs the exception for ${name}`] : [];
}

/** Whether an SPDX expression can be met with allowed licences alone. OR binds weaker than AND; WITH makes another licence. */
function isAllowed(expression) {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let next = 0;
  const either = () => {
    let met = both();
    while (tokens[next] === 'OR') {
      next += 1;
      met = both() || met;
    }
    return met;
  };
  const both = () => {
    let met = one();
    while (tokens[next] === 'AND') {
      next += 1;
      met = one() && met;
    }
    return met;
  };
  const one = () => {
    const token = tokens[next];
    next += 1;
    if (token !== '(') return allowed.includes(token);
    const met = either();
    next += 1;
    return tokens[next - 1] === ')' && met;
  };
  // An expression with something left over is not understood, and so not allowed.
  return either() && next === tokens.length;
}
