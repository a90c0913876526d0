import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy between the service and its database that can tell when something was committed. */
export interface CommitProxy {
  /** Of the database, through the proxy. */
  readonly url: string;
  /**
   * Keeps the word that the database gives when it has committed for the n-th time from now on, and calls: the database knows
   * of the work then, and the service does not. Nothing passes any more afterwards.
   */
  stopAfter(commits: number, call: () => void): void;
  /** Commits since. */
  readonly commits: number;
  close(): Promise<void>;
}

const writes = /\b(insert into|update|delete from)\b/i;

/** Starts a proxy for a database. Only transactions count in which something was written. */
export async function startCommitProxy(databaseUrl: string): Promise<CommitProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let commits = 0;
  let stop: { readonly at: number; readonly call: () => void } | undefined;
  let stopped = false;

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    let hasWritten = false;
    let rest: Buffer = Buffer.alloc(0);
    for (const [socket, peer] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined); // Its end is what counts.
      socket.on('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (stopped) return;
      hasWritten ||= writes.test(chunk.toString('latin1'));
      database.write(chunk);
    });
    database.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      // A type of one byte, then the length of what follows with its own four.
      while (!stopped && rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const message = rest.subarray(0, 1 + rest.readUInt32BE(1));
        rest = rest.subarray(message.length);
        // Ready for a query, and in no transaction.
        if (message.toString('latin1', 0, 1) === 'Z' && message.toString('latin1', 5) === 'I' && hasWritten) {
          hasWritten = false;
          commits += 1;
          stopped = stop !== undefined && commits >= stop.at;
        }
        if (stopped) stop?.call();
        else client.write(message);
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;

  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    stopAfter: (count, call) => {
      commits = 0;
      stop = { at: count, call };
    },
    get commits() {
      return commits;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
