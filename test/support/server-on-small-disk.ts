import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { codeOf } from '../../src/runtime/embedded-postgres/embedded-postgres-error';
import { OwnServer } from '../e2e/database/own-server';

const run = promisify(execFile);

/** Bytes of the disk of the server. A new server has some 60 MB, and its log grows in files of 16 MB. */
const DISK = 320 * 1024 ** 2;

/** A server on a disk of its own, in memory, which a test can fill. Mounting it takes root on Linux. */
export class ServerOnSmallDisk {
  private constructor(
    readonly server: OwnServer,
    private readonly disk: string,
  ) {}

  static async start(): Promise<ServerOnSmallDisk> {
    let disk = '';
    const server = await OwnServer.start(async (folder) => {
      await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=755`, 'tmpfs', folder]);
      disk = folder;
    });
    return new ServerOnSmallDisk(server, disk);
  }

  /** Leaves no byte to the server, and no room in the files of its log either. */
  async fill(): Promise<void> {
    try {
      await writeFile(this.filling, Buffer.alloc(DISK));
      throw new Error('The disk is larger than it was made.');
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC') throw error;
    }
    while (await this.takesMore());
  }

  /** Gives the room back, and waits until the server takes connections. */
  async free(): Promise<void> {
    await rm(this.filling, { force: true });
    await this.server.untilServing();
  }

  async remove(): Promise<void> {
    await this.server.stop();
    await run('umount', [this.disk]);
    await this.server.remove();
  }

  private async takesMore(): Promise<boolean> {
    const client = new Client({ connectionString: this.server.url });
    client.on('error', () => undefined); // A server without room may end.
    try {
      await client.connect();
      await client.query(`select pg_logical_emit_message(false, 'filling', repeat('x', 4000000))`);
      return true;
    } catch {
      return false;
    } finally {
      await client.end();
    }
  }

  private get filling(): string {
    return join(this.disk, 'filling');
  }
}
