import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accountToLend, canEnter, runAs, type ServerAccount } from './server-account';

const ROOT = 'root:x:0:0:root:/root:/bin/bash';
const NOBODY = 'nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin';
const POSTGRES = 'postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash';

describe('the account that root lends to PostgreSQL', () => {
  it.each<[string, string[], ServerAccount]>([
    ['postgres before nobody', [ROOT, NOBODY, POSTGRES], { kind: 'lent', uid: 101, gid: 104 }],
    ['nobody where there is no postgres', [ROOT, NOBODY], { kind: 'lent', uid: 65534, gid: 65533 }],
    ['no namesake', [ROOT, 'postgresql:x:7:7::/:/bin/sh', NOBODY], { kind: 'lent', uid: 65534, gid: 65533 }],
    ['none that is root under another name', [ROOT, 'nobody:x:0:0::/:/bin/sh'], { kind: 'namespace' }],
    ['a namespace where there is neither', [ROOT, ''], { kind: 'namespace' }],
  ])('is %s', (_, passwd, expected) => {
    expect(accountToLend(passwd.join('\n'))).toEqual(expected);
  });
});

describe('runAs', () => {
  it('runs a program unchanged under the process’s own account', () => {
    expect(runAs({ kind: 'own' }, '/bin/x', ['-a'])).toEqual({
      command: '/bin/x',
      args: ['-a'],
      identity: {},
    });
  });

  it('changes to the account that is lent', () => {
    expect(runAs({ kind: 'lent', uid: 5, gid: 6 }, '/bin/x', [])).toEqual({
      command: '/bin/x',
      args: [],
      identity: { uid: 5, gid: 6 },
    });
  });

  it('hides root in a namespace', () => {
    expect(runAs({ kind: 'namespace' }, '/bin/x', ['-a'])).toEqual({
      command: 'unshare',
      args: ['--user', '--', '/bin/x', '-a'],
      identity: {},
    });
  });
});

describe('canEnter', () => {
  let folder: string;
  // An account that owns no file here and belongs to no group.
  const stranger: ServerAccount = { kind: 'lent', uid: 987_654_321, gid: 987_654_321 };
  const owner: ServerAccount = { kind: 'lent', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'can-enter-'));
    await mkdir(join(folder, 'inner'), { mode: 0o755 });
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    [0o700, stranger, false],
    [0o750, stranger, false],
    [0o711, stranger, canEnter(tmpdir(), stranger)],
    [0o700, owner, canEnter(tmpdir(), owner)],
    [0o700, { kind: 'own' } as const, true],
  ])('with a folder of mode %o above: %j: %j', async (mode, account, expected) => {
    await chmod(folder, mode);
    try {
      expect(canEnter(join(folder, 'inner'), account)).toBe(expected);
    } finally {
      await chmod(folder, 0o700);
    }
  });
});
