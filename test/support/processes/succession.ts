import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { startSpareProcess, type ServiceProcess, type SpareProcess } from './service-process';

/**
 * Attempts to start a process. On a busy machine the database may take longer to accept a connection than a service
 * waits.
 */
const STARTS = 5;

/**
 * Instances of the service at one address, of which only one runs at a time, so all work is done by that instance. The
 * next instance is already started and waits, so a kill does not have to wait for a start.
 */
export class Succession {
  private current: ServiceProcess | undefined;
  private spare: Promise<SpareProcess>;

  private constructor(
    readonly url: string,
    private readonly start: () => Promise<SpareProcess>,
  ) {
    this.spare = this.next();
  }

  /** @param envAt environment of the processes, given the address that they share */
  static async start(
    databaseUrl: string,
    envAt: (url: string) => Readonly<Record<string, string>>,
  ): Promise<Succession> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const options = { main: 'run-spare-service.ts', env: { PORT: String(port), ...envAt(url) } };
    const succession = new Succession(url, () => startSpareProcess(databaseUrl, options));
    await succession.startNext();
    return succession;
  }

  /** Kills the running instance in the middle of its work. */
  async kill(): Promise<void> {
    await this.current?.kill();
  }

  /** Lets the waiting instance serve, and starts another one that waits. */
  async startNext(): Promise<void> {
    this.current = await (await this.spare).begin();
    this.spare = this.next();
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.kill(), this.spare.then((spare) => spare.kill())]);
  }

  private next(): Promise<SpareProcess> {
    const next = started(this.start);
    // The caller that waits for it receives the error.
    next.catch(() => undefined);
    return next;
  }
}

async function started(start: () => Promise<SpareProcess>, startsLeft = STARTS): Promise<SpareProcess> {
  try {
    return await start();
  } catch (error) {
    if (startsLeft <= 1) throw error;
    return started(start, startsLeft - 1);
  }
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
