import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Binaries, findBinaries } from './binaries';
import { codeOf, EmbeddedPostgresError, messageOf, stderrOf } from './embedded-postgres-error';
import { accountForNewCluster, accountOfOwner, canEnter, runAs, type ServerAccount } from './server-account';

const run = promisify(execFile);

/** The superuser of a cluster, used only to prepare and monitor it. */
export const SUPERUSER = 'postgres';

/** A PostgreSQL cluster on disk, and what is needed to run it. */
export interface Cluster {
  /** Holds postmaster.pid and all other files of PostgreSQL. */
  readonly data: string;
  readonly log: string;
  readonly account: ServerAccount;
  readonly binaries: Binaries;
  /** The password of both roles: the superuser and the service's own. */
  readonly password: string;
}

/**
 * Opens the cluster under this folder. Creates the cluster if there is none.
 * @param durable false skips fsync, as in tests, where a crash of the machine may lose everything
 * @throws EmbeddedPostgresError if the cluster cannot be created here
 */
export async function openCluster(dataDir: string, durable: boolean): Promise<Cluster> {
  await mkdir(dataDir, { recursive: true });
  const home = join(dataDir, 'postgres');
  let owner = await ownerOf(home);
  if (owner === undefined) {
    await makeCluster(home, dataDir, durable);
    owner = await stat(home);
  }
  const account = accountOfOwner(owner);
  return {
    data: join(home, 'data'),
    log: join(home, 'log'),
    account,
    binaries: await findBinaries(account, dataDir),
    password: (await readFile(join(home, 'password'), 'utf8')).trim(),
  };
}

/**
 * The path of the cluster's data folder for a program that is started in that folder. On Linux an account without
 * access to the parent folders can use /proc/self/cwd, because the system does not check permissions on the path to the
 * working directory.
 */
export function dataArgument(data: string, account: ServerAccount): string {
  return process.platform === 'linux' && !canEnter(data, account) ? '/proc/self/cwd' : data;
}

async function ownerOf(folder: string): Promise<Stats | undefined> {
  try {
    return await stat(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Creates a cluster in a temporary folder and renames it. An interrupted start leaves no cluster, and of two concurrent
 * starts one succeeds.
 */
async function makeCluster(home: string, dataDir: string, durable: boolean): Promise<void> {
  await removeAbandoned(dataDir);
  const aside = await mkdtemp(join(dataDir, `postgres-new-${process.pid}-`));
  try {
    const data = join(aside, 'data');
    const passwordFile = join(aside, 'password');
    await mkdir(data, { mode: 0o700 });
    await writeFile(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
    const account = await giveTo(accountForNewCluster(), [passwordFile, data, aside]);
    await initialise(data, account, await findBinaries(account, dataDir), durable);
    await rename(aside, home);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    const lostTheRace =
      ['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(error) ?? '') && (await ownerOf(home));
    if (!lostTheRace) throw error;
  }
}

/** Makes the account the owner of files. Falls back to a user namespace if this root user may not do that. */
async function giveTo(account: ServerAccount, paths: readonly string[]): Promise<ServerAccount> {
  if (account.kind !== 'lent') return account;
  try {
    for (const path of paths) await chown(path, account.uid, account.gid);
    return account;
  } catch (error) {
    if (!['EPERM', 'EINVAL'].includes(codeOf(error) ?? '')) throw error;
    return { kind: 'namespace' };
  }
}

async function initialise(
  data: string,
  account: ServerAccount,
  binaries: Binaries,
  durable: boolean,
): Promise<void> {
  const folder = dataArgument(data, account);
  const { command, args, identity } = runAs(account, binaries.initdb, [
    ...['-D', folder, `--pwfile=${folder}/../password`, '--auth=scram-sha-256', '-U', SUPERUSER],
    ...['--encoding=UTF8', '--locale=C'],
    ...(durable ? [] : ['--no-sync']),
  ]);
  try {
    await run(command, args, { ...identity, cwd: data, env: serverEnvironment() });
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL could not create a database in ${data}: ${stderrOf(error) ?? messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * The environment of PostgreSQL's programs. It contains no locale, PG… variable or secret of the service's environment.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env;
  return { LC_ALL: 'C', ...(PATH && { PATH }), ...(SystemRoot && { SystemRoot }) };
}

/** Removes the temporary folders of starts that were killed while they created a cluster. */
async function removeAbandoned(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const pid = Number(/^postgres-new-(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
