import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { startSpareProcess, type ServiceProcess, type SpareProcess } from './service-process';

/** Starts until one works: on a very busy machine the database takes longer to take a connection than a service waits for it. */
const STARTS = 5;

/**
 * Instances of the service of which one lives at a time, at one address, so that all that happens is its work. The next one is
 * started beside it and waits: a kill costs no wait for a start.
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

  /** @param envAt what the processes are told, by the address that all of them have */
  static async start(
    databaseUrl: string,
    envAt: (url: string) => Readonly<Record<string, string>>,
  ): Promise<Succession> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const options = { main: 'run-spare-service.ts', env: { PORT: String(port), ...envAt(url) } };
    const succession = new Succession(url, () => startSpareProcess(databaseUrl, options));
    await succession.succeed();
    return succession;
  }

  /** Ends the one that lives, in the middle of whatever it does. */
  async kill(): Promise<void> {
    await this.current?.kill();
  }

  /** The next one serves. */
  async succeed(): Promise<void> {
    this.current = await (await this.spare).begin();
    this.spare = this.next();
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.kill(), this.spare.then((spare) => spare.kill())]);
  }

  private next(): Promise<SpareProcess> {
    const next = started(this.start);
    // Who waits for it is told.
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
