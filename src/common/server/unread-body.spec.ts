import { createServer, ServerResponse, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { discardUnreadBodies } from './unread-body';

const bound = 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024, 'x');

describe('discardUnreadBodies', () => {
  let server: Server;
  let socket: Socket;
  let received: string;
  let serverSide: Promise<void>;
  beforeEach(async () => {
    // Refuses every request without reading its body.
    class TestResponse extends ServerResponse {}
    discardUnreadBodies(TestResponse.prototype, bound);
    server = createServer({ ServerResponse: TestResponse }, (_request, response) => {
      response.writeHead(413, { 'Content-Length': 2 }).end('no');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    serverSide = new Promise((resolve) => {
      server.once('connection', (connection) => connection.once('close', () => resolve()));
    });
    received = '';
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.on('error', () => undefined);
  });
  afterEach(async () => {
    socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const closed = () => new Promise<void>((resolve) => socket.once('close', () => resolve()));
  async function receive(count: number): Promise<void> {
    while (received.split('HTTP/1.1 413').length - 1 < count) {
      await new Promise((resolve) => socket.once('data', resolve));
    }
  }
  function send(bytes: number): void {
    for (let sent = 0; sent < bytes; sent += chunk.length) socket.write(chunk.subarray(0, bytes - sent));
  }

  it('reads a body within the bound to its end, and the connection serves on', async () => {
    for (let request = 1; request <= 3; request += 1) {
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bound}\r\n\r\n`);
      await receive(request);
      send(bound);
    }
    expect(socket.destroyed).toBe(false);
  });

  it.each(['Content-Length: 99999999999', 'Transfer-Encoding: chunked'])(
    'cuts the connection of a body beyond the bound (%s), after the answer',
    async (framing) => {
      const cut = closed();
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
      await receive(1);
      if (framing.startsWith('Transfer')) socket.write('ffffffff\r\n');
      send(4 * bound);
      await cut;
      expect(received).toMatch(/\r\n\r\nno$/);
    },
  );

  it('does not mind a client that leaves with its answer', async () => {
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bound}\r\n\r\n`);
    await receive(1);
    socket.resetAndDestroy();
    await expect(serverSide).resolves.toBeUndefined();
  });
});
