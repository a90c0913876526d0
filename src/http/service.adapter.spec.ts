import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceAdapter } from './service.adapter';
import { STALLED_AFTER } from './stalled-answer';

describe('ServiceAdapter', () => {
  it('gives each answer the time after which a client that takes nothing is cut off', async () => {
    const adapter = new ServiceAdapter();
    adapter.initHttpServer();
    const server: Server = adapter.getHttpServer();
    const limits: { before?: number; after?: number } = {};
    adapter.use((request: IncomingMessage, response: ServerResponse) => {
      limits.before = request.socket.timeout;
      response.writeHead(200);
      limits.after = request.socket.timeout;
      response.end('x');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    await adapter.closeGracefully(0);
    // Until the status line it is the client that waits.
    expect(limits.before).not.toBe(STALLED_AFTER);
    expect(limits.after).toBe(STALLED_AFTER);
  });
});
