import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The state of a proxy: it passes data on, holds data until it answers again, or accepts no connection. */
export type ProxyState = 'answers' | 'is silent' | 'is away';

/** A proxy in front of a service that can withhold its answers. */
export interface PausingProxy {
  readonly url: string;
  /** Sets the state. Silence keeps connections open; being away ends them. */
  set(state: ProxyState): void;
  close(): Promise<void>;
}

/** @param target the URL of the service */
export async function startPausingProxy(target: string): Promise<PausingProxy> {
  const { port: targetPort, hostname } = new URL(target);
  const sockets = new Set<Socket>();
  let state: ProxyState = 'answers';
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    if (state === 'is silent') socket.pause();
    socket.on('error', () => undefined); // Its end is what counts.
    socket.once('close', () => sockets.delete(socket));
  };
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (state === 'is away') return void client.destroy();
    const upstream = connect(Number(targetPort), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (bytes) => void to.write(bytes));
      from.once('close', () => to.destroy());
      keep(from);
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server that listens has one.
  return {
    url: `http://127.0.0.1:${port}`,
    set: (next) => {
      state = next;
      if (next === 'is away') return end();
      for (const socket of sockets) {
        if (next === 'is silent') socket.pause();
        else socket.resume();
      }
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      end();
      await closed;
    },
  };
}
