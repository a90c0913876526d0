import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type Cluster, openCluster, SUPERUSER } from '../../../src/runtime/embedded-postgres/cluster';
import {
  findPostmaster,
  freePort,
  launch,
  stopPostmaster,
} from '../../../src/runtime/embedded-postgres/postmaster';

/** A server that a test may mistreat, at one address for its whole life. */
export class OwnServer {
  private constructor(
    private readonly folder: string,
    private readonly cluster: Cluster,
    private readonly port: number,
  ) {}

  /**
   * @param fill puts the files of a cluster into the folder, if it is not to be a new one
   * @param open makes or opens the cluster under the folder, if not that of the embedded PostgreSQL
   */
  static async start(
    fill: (folder: string) => Promise<void> = () => Promise.resolve(),
    open: (folder: string) => Promise<Cluster> = (folder) => openCluster(folder, false),
  ): Promise<OwnServer> {
    const folder = await mkdtemp(join(tmpdir(), 'translation-own-server-'));
    await fill(folder);
    const server = new OwnServer(folder, await open(folder), await freePort());
    await server.start();
    return server;
  }

  /** The folder of the cluster: its data, its log, and the password of its roles. */
  get home(): string {
    return dirname(this.cluster.data);
  }

  get url(): string {
    return `postgres://${SUPERUSER}:${this.cluster.password}@127.0.0.1:${this.port}/postgres`;
  }

  async start(): Promise<void> {
    const launched = await launch(this.cluster, this.port, false);
    while (!(await this.answers())) {
      if (launched.ended()) throw new Error(`The server has ended: ${await launched.complaint()}`);
      await sleep(20);
    }
  }

  /** Waits until it takes connections. A server that did not survive is started, as an operator would. */
  async untilServing(): Promise<void> {
    while (!(await this.answers())) {
      if ((await findPostmaster(this.cluster.data)) === undefined) await this.start();
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    const postmaster = await findPostmaster(this.cluster.data);
    if (postmaster !== undefined) await stopPostmaster(this.cluster, postmaster);
  }

  /** Ends all of its processes at once, as a machine that fails. */
  async kill(): Promise<void> {
    for (const pid of await this.processes()) process.kill(pid, 'SIGKILL');
  }

  /** Freezes all of its processes: connections stay open and silent, new ones are not answered. */
  async freeze(): Promise<void> {
    // The first comes first, lest it make more of them meanwhile.
    for (const pid of await this.processes()) process.kill(pid, 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    for (const pid of await this.processes()) process.kill(pid, 'SIGCONT');
  }

  async remove(): Promise<void> {
    await this.thaw(); // A test that failed may have left it frozen.
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async processes(): Promise<number[]> {
    const postmaster = await findPostmaster(this.cluster.data);
    if (postmaster === undefined) return [];
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
    const table = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number));
    const children = table.filter(([, parent]) => parent === postmaster.pid).map(([pid = 0]) => pid);
    return [postmaster.pid, ...children];
  }

  private async answers(): Promise<boolean> {
    const client = new Client({ connectionString: this.url });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end();
    }
  }
}
