import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackDebianPackage } from '../installed/debian-package';
import { installTools } from '../installed/installed-tools';

const execute = promisify(execFile);

/** Milliseconds for which the packages of a system may take to be fetched and unpacked. */
const LONGEST = 600_000;

/** The folder that stands for `/` in a fresh system, and is no part of this machine's. */
export interface BaseImage {
  readonly folder: string;
  remove(): void;
}

/**
 * Makes what `node:24-trixie-slim` has, from packages: the essential ones of that release of Debian, Node and npm. Needs root.
 *
 * @param release of Debian, such as `trixie`
 * @param npm its version
 */
export async function debianWithNode(release: string, npm: string): Promise<BaseImage> {
  const folder = mkdtempSync(join(tmpdir(), 'translation-base-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const debootstrap = await unpackDebianPackage('debootstrap');
  const tools = await installTools({ npm });
  try {
    const env = { ...process.env, DEBOOTSTRAP_DIR: join(debootstrap.folder, 'usr/share/debootstrap') };
    const arguments_ = ['--variant=minbase', release, folder, await mirror()];
    await execute(join(debootstrap.folder, 'usr/sbin/debootstrap'), arguments_, { env, timeout: LONGEST });
    const local = join(folder, 'usr/local');
    copyFileSync(join(tools.folder, 'node_modules/node/bin/node'), join(local, 'bin/node'));
    chmodSync(join(local, 'bin/node'), 0o755);
    cpSync(join(tools.folder, 'node_modules/npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
    for (const name of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
    // mkdtemp lets its owner alone in.
    chmodSync(folder, 0o755);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  } finally {
    debootstrap.remove();
    tools.remove();
  }
}

/** From where this machine gets packages of Debian. */
async function mirror(): Promise<string> {
  const { stdout } = await execute('apt-get', [
    'indextargets',
    '--format',
    '$(SITE)',
    'Identifier: Packages',
    'Component: main',
    'Origin: Debian',
  ]);
  const [first] = stdout.split('\n');
  if (first === undefined || first === '') throw new Error('apt knows no source of Debian');
  return first;
}
