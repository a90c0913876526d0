import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy between the service and its database, which fails in the database's place. */
export interface DatabaseProxy {
  /** Of the database, through the proxy. */
  readonly url: string;
  /** Breaks every connection and takes no more, as a server that was stopped. */
  stop(): Promise<void>;
  /** Passes nothing on any more, in either direction, as a server whose process is halted. */
  freeze(): void;
  /** Works again. */
  restore(): Promise<void>;
  /** Passes new connections to another server. */
  moveTo(databaseUrl: string): void;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let frozen = false;

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined); // Its end is what counts.
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => to.write(chunk));
      if (frozen) from.pause();
    }
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;

  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    freeze: () => {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    restore: async () => {
      frozen = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(port);
    },
    moveTo: (otherUrl) => {
      target = new URL(otherUrl);
    },
  };
}
