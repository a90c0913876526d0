import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** A package of Debian that was unpacked, not installed. */
export interface UnpackedPackage {
  /** Where its files are, as below `/`. */
  readonly folder: string;
  readonly version: string;
  remove(): void;
}

/**
 * Fetches a package and unpacks it into a temporary folder. Changes nothing else on the machine. Only what needs no further package
 * runs from there.
 *
 * @throws Error where apt does not know the package; its lists come with `apt-get update`
 */
export async function unpackDebianPackage(name: string): Promise<UnpackedPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'translation-package-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await execute('apt-get', ['download', name], { cwd: folder });
    const file = readdirSync(folder).find((each) => each.endsWith('.deb')) ?? '';
    await execute('dpkg', ['-x', file, '.'], { cwd: folder });
    const { stdout } = await execute('dpkg-deb', ['-f', file, 'Version'], { cwd: folder });
    return { folder, version: stdout.trim(), remove };
  } catch (error) {
    remove();
    throw error;
  }
}
