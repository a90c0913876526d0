import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A server on a free port of the loopback address. */
export interface Loopback {
  readonly url: string;
  close(): Promise<void>;
}

/** A server that handles bare sockets, and so can do what no HTTP server would. */
export function rawServer(onSocket: (socket: Socket) => void): Promise<Loopback> {
  return listening(
    createServer((socket) => {
      socket.on('error', () => undefined); // Clients that go away are part of the tests.
      onSocket(socket);
    }),
  );
}

/** An ordinary HTTP server. */
export function httpServer(listener: RequestListener): Promise<Loopback> {
  return listening(createHttpServer(listener));
}

async function listening(server: Server): Promise<Loopback> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Calls back when a request, with its body, has come whole; its bytes are those of the first request only. */
export function onRequest(socket: Socket, answer: (request: string) => void): void {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (text.length < end + 4 + length) return;
    const request = text.slice(0, end + 4 + length);
    text = text.slice(end + 4 + length);
    answer(request);
  });
}
