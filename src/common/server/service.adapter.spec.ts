import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceAdapter } from './service.adapter';
import { STALLED_AFTER } from './stalled-answer';

describe('ServiceAdapter', () => {
  it.each([
    ['large', 64 * 1024 * 1024, true],
    ['small', 1, false],
  ])(
    'gives a %s answer the time after which a client that takes nothing is cut off',
    async (_, size, isLeft) => {
      const adapter = new ServiceAdapter();
      adapter.initHttpServer();
      const server: Server = adapter.getHttpServer();
      const limits: { before?: number; after?: number } = {};
      adapter.use((request: IncomingMessage, response: ServerResponse) => {
        limits.before = request.socket.timeout;
        response.end('x'.repeat(size));
        limits.after = request.socket.timeout;
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toHaveLength(size);
      await adapter.closeGracefully({ graceMs: 0, limitMs: 0 });
      // Until the response begins, the client waits for the service.
      expect(limits.before).not.toBe(STALLED_AFTER);
      expect(limits.after === STALLED_AFTER).toBe(isLeft);
    },
  );

  it.each<[string, (adapter: ServiceAdapter, listening: () => void) => Server]>([
    ['a port and a host', (adapter, listening) => adapter.listen('0', '127.0.0.1', listening)],
    ['a port', (adapter, listening) => adapter.listen(0, listening)],
  ])('listens on %s, with room for many who come at once', async (_, listen) => {
    const adapter = new ServiceAdapter();
    adapter.initHttpServer();
    const server: Server = adapter.getHttpServer();
    const asked = jest.spyOn(server, 'listen');
    await new Promise<void>((resolve) => listen(adapter, resolve));
    expect(asked).toHaveBeenCalledWith(
      expect.objectContaining({ port: 0, backlog: 4_096 }),
      expect.anything(),
    );
    const { port } = server.address() as AddressInfo;
    expect(port).toBeGreaterThan(0);
    await adapter.closeGracefully({ graceMs: 0, limitMs: 0 });
  });
});
