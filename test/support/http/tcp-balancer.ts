import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP balancer: it distributes connections over the targets in turn and skips targets that refuse them. */
export interface TcpBalancer {
  readonly url: string;
  /** Sets the targets of new connections; open connections stay. */
  setTargets(urls: readonly string[]): void;
  close(): Promise<void>;
}

/** @param first URLs of the first targets */
export async function startTcpBalancer(first: readonly string[]): Promise<TcpBalancer> {
  let urls = first;
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    turn += 1;
    const order = urls.map((_, index) => new URL(urls[(turn + index) % urls.length] ?? ''));
    keep(client);
    forward(client, order);
  });

  function forward(client: Socket, [target, ...others]: readonly URL[]): void {
    if (target === undefined) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    const next = (): void => forward(client, others);
    upstream.once('error', next);
    upstream.once('connect', () => {
      upstream.off('error', next);
      keep(upstream);
      client.pipe(upstream).pipe(client);
      client.once('close', () => upstream.destroy());
      upstream.once('close', () => client.destroy());
    });
  }

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => undefined); // Its end is what counts.
    socket.once('close', () => sockets.delete(socket));
  }

  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server that listens has one.
  return {
    url: `http://127.0.0.1:${port}`,
    setTargets: (next) => {
      urls = next;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
