import { createServer, ServerResponse, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { cutWhenStalled } from './stalled-response';

const large = 'x'.repeat(64 * 1024 * 1024);

/** Milliseconds. A reader in this process may be delayed for a while, but not for this long. */
const LONG = 2_000;

describe('cutWhenStalled', () => {
  let server: Server;
  let closed: Promise<void>;
  let answer: string;
  const listen = async (limit: number) => {
    class TestResponse extends ServerResponse {}
    cutWhenStalled(TestResponse.prototype, limit);
    server = createServer({ ServerResponse: TestResponse }, (request, response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      // A handler that works for longer than this is not a stalled client.
      const text = request.url === '/first' ? 'x' : answer;
      setTimeout(() => response.end(text), request.url === '/' ? 0 : 1.5 * limit);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  };
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async (...paths: readonly string[]): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.on('error', () => undefined);
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n`);
    socket.write(`${requests.join('\r\n')}Connection: close\r\n\r\n`);
    return socket;
  };

  it('cuts a client that takes nothing of its answer', async () => {
    answer = large;
    await listen(100);
    const socket = await ask('/');
    await new Promise((resolve) => socket.once('readable', resolve)); // The client does not read the available data.
    await closed;
    socket.destroy();
    expect(socket.bytesRead).toBeLessThan(large.length);
  });

  it('cuts a client that takes nothing of an answer that had to wait for the one before it', async () => {
    answer = large;
    await listen(100);
    const socket = await ask('/first', '/');
    await new Promise((resolve) => socket.once('readable', resolve)); // The client does not read the available data.
    await closed;
    socket.destroy();
    expect(socket.bytesRead).toBeLessThan(large.length);
  });

  it('cuts a client that takes nothing of an answer in pieces', async () => {
    answer = '';
    await listen(100);
    server.prependListener('request', (_request, response: ServerResponse) => {
      const piece = large.slice(0, 1024 * 1024);
      for (let count = 0; count < 64; count += 1) response.write(piece);
    });
    const socket = await ask('/slow');
    await new Promise((resolve) => socket.once('readable', resolve)); // The client does not read the available data.
    await closed;
    socket.destroy();
    expect(socket.bytesRead).toBeLessThan(large.length);
  });

  it.each(['/', '/slow'])('leaves a client alone that reads (%s)', async (path) => {
    answer = large;
    await listen(LONG);
    const socket = await ask(path);
    let received = 0;
    socket.on('data', (chunk: Buffer) => (received += chunk.length));
    await new Promise((resolve) => socket.once('close', resolve));
    await closed;
    expect(received).toBeGreaterThan(large.length);
  });
});
