import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { codeOf } from '../../../src/runtime/embedded-postgres/embedded-postgres-error';
import { OwnServer } from '../../e2e/database/own-server';

const run = promisify(execFile);

/** The size of the disk in bytes. A new server takes about 60 MB, and its log grows in files of 16 MB. */
const DISK = 320 * 1024 ** 2;

/** A database server on a small disk in memory, which a test can fill. Mounting the disk requires root on Linux. */
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
    await withClient(server, async (client) => {
      // With the default of 1 GB of log the server would fill its disk itself.
      await client.query(`alter system set max_wal_size = '64MB'`);
      await client.query(`alter system set min_wal_size = '32MB'`);
      await client.query('select pg_reload_conf()');
    });
    return new ServerOnSmallDisk(server, disk);
  }

  /** Fills the disk, and the free space in the files of the server's log. */
  async fill(): Promise<void> {
    try {
      await writeFile(this.filling, Buffer.alloc(DISK));
      throw new Error('The disk is larger than it was made.');
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC') throw error;
    }
    while (await this.takesMore());
  }

  /** Frees the space, and waits until the server takes connections. */
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
    try {
      await withClient(this.server, (client) =>
        client.query(`select pg_logical_emit_message(false, 'filling', repeat('x', 4000000))`),
      );
      return true;
    } catch {
      return false;
    }
  }

  private get filling(): string {
    return join(this.disk, 'filling');
  }
}

async function withClient(server: OwnServer, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: server.url });
  client.on('error', () => undefined); // A server without room may end.
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}
