import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run, runNode } from './child.mjs';
import { alone } from './lock.mjs';
import { root, StepError } from './project.mjs';

/** Installs what package-lock.json pins, unless node_modules has it already. */
export async function install() {
  if (installed()) return;
  await alone(async () => {
    if (installed()) return;
    console.error('Installing dependencies …');
    const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
    const { ok, output } = await npm(args);
    if (!ok)
      throw new StepError(
        `${output}\nThe dependencies could not be installed: npm ${args.join(' ')} failed.`,
      );
  });
}

/**
 * Whether npm has installed what package-lock.json pins. npm writes its own record into node_modules last. So a manual install
 * counts, and an interrupted one does not.
 */
function installed() {
  const there = packagesOf('node_modules/.package-lock.json');
  return Object.entries(packagesOf('package-lock.json')).every(([path, wanted]) => {
    if (path === '') return true; // the project itself
    const found = there[path];
    return found
      ? found.version === wanted.version && found.integrity === wanted.integrity
      : !isForHere(wanted);
  });
}

function packagesOf(lockfile) {
  try {
    return JSON.parse(readFileSync(join(root, lockfile), 'utf8')).packages ?? {};
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return {};
    throw error;
  }
}

/**
 * Whether npm would install a package here. npm leaves out an optional package if it, or the package that needs it, cannot run
 * here.
 */
function isForHere({ optional, os, cpu, libc }) {
  if (optional && os === undefined && cpu === undefined) return false;
  return (
    admits(os, process.platform) &&
    admits(cpu, process.arch) &&
    (libc === undefined || admits(libc, libcHere()))
  );
}

function admits(list, value) {
  if (list === undefined) return true;
  return (
    !list.includes(`!${value}`) && (list.includes(value) || list.every((entry) => entry.startsWith('!')))
  );
}

function libcHere() {
  if (process.platform !== 'linux') return undefined;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

/** Runs the npm that started this process, else the one in PATH. */
function npm(args) {
  const env = environmentForNpm();
  const cli = process.env.npm_execpath;
  if (cli !== undefined && basename(cli) === 'npm-cli.js') return runNode([cli, ...args], { env });
  return run('npm', args, { env, shell: process.platform === 'win32' });
}

/** The environment without an outer npm's settings of what to install and where. Registry, proxy and cache stay. */
function environmentForNpm() {
  const choosing =
    /^(NODE_ENV|npm_(package_.*|lifecycle_.*|command|config_(omit|include|only|also|dev|production|optional|global|location|.*prefix|dry_run|package_lock|package_lock_only|workspace|workspaces|include_workspace_root|install_strategy|long|json)))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !choosing.test(name)));
}
