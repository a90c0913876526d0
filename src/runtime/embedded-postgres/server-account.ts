import { readFileSync, statSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { codeOf, EmbeddedPostgresError, SET_DATABASE_URL } from './embedded-postgres-error';

/**
 * The account under which PostgreSQL's programs run. They refuse to run as root, so root runs them under another
 * account. A root user that may not change accounts (a sandbox with one user, a container without capabilities) runs
 * them in a user namespace, where they appear as nobody and still own root's files.
 */
export type ServerAccount =
  | { readonly kind: 'own' }
  | { readonly kind: 'lent'; readonly uid: number; readonly gid: number }
  | { readonly kind: 'namespace' };

/** The account for an existing cluster: its owner. */
export function accountOfOwner(owner: Pick<Stats, 'uid' | 'gid'>): ServerAccount {
  if (process.geteuid?.() !== 0) return { kind: 'own' };
  return owner.uid === 0 ? { kind: 'namespace' } : { kind: 'lent', uid: owner.uid, gid: owner.gid };
}

/**
 * The account for a new cluster.
 * @throws EmbeddedPostgresError if this process runs under a user ID without a name, which initdb refuses.
 */
export function accountForNewCluster(): ServerAccount {
  if (process.geteuid?.() === 0) return accountToLend(readFileSync('/etc/passwd', 'utf8'));
  try {
    userInfo();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ERR_SYSTEM_ERROR') throw error;
    throw new EmbeddedPostgresError(
      `User ID ${process.geteuid?.()} has no entry in the list of users (/etc/passwd), and PostgreSQL cannot create a database without one. ${SET_DATABASE_URL}`,
      { cause: error },
    );
  }
  return { kind: 'own' };
}

/** Chooses from the text of a passwd file: postgres if it exists, else nobody, else a user namespace. */
export function accountToLend(passwd: string): ServerAccount {
  for (const name of ['postgres', 'nobody']) {
    const entry = passwd.split('\n').find((line) => line.startsWith(`${name}:`));
    const [, , uid, gid] = entry?.split(':').map(Number) ?? [];
    if (
      uid !== undefined &&
      gid !== undefined &&
      Number.isInteger(uid) &&
      Number.isInteger(gid) &&
      uid !== 0
    ) {
      return { kind: 'lent', uid, gid };
    }
  }
  return { kind: 'namespace' };
}

/** The command line and spawn options of a program under an account. */
export function runAs(
  account: ServerAccount,
  program: string,
  args: readonly string[],
): { command: string; args: string[]; identity: { uid?: number; gid?: number } } {
  switch (account.kind) {
    case 'own':
      return { command: program, args: [...args], identity: {} };
    case 'lent':
      return { command: program, args: [...args], identity: { uid: account.uid, gid: account.gid } };
    case 'namespace':
      return { command: 'unshare', args: ['--user', '--', program, ...args], identity: {} };
  }
}

/** Whether the account can enter the folder and all folders above it. */
export function canEnter(folder: string, account: ServerAccount): boolean {
  if (account.kind === 'own') return true;
  // In the namespace the programs lose root's privileges and keep its ownership.
  const { uid, gid } = account.kind === 'lent' ? account : { uid: 0, gid: 0 };
  for (let path = resolve(folder); ; path = dirname(path)) {
    const { mode, uid: owner, gid: group } = statSync(path);
    const needed = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & needed) === 0) return false;
    if (path === dirname(path)) return true;
  }
}
