import { get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceAdapter } from './service.adapter';
import { STALLED_AFTER } from './stalled-response';

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

  it('serves what connects in time, also where the process accepts it late', async () => {
    const adapter = new ServiceAdapter();
    adapter.initHttpServer();
    const server: Server = adapter.getHttpServer();
    adapter.use((_request: IncomingMessage, response: ServerResponse) => void response.end());
    // As on a machine that has other work: the connections of all clients wait in the system's queue.
    server.on('connection', () => {
      const until = performance.now() + 150;
      while (performance.now() < until);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answers = Array.from(
      { length: 7 },
      () =>
        new Promise<number | string>((resolve) =>
          get({ port, host: '127.0.0.1', agent: false }, (response) => {
            response.resume().once('end', () => resolve(response.statusCode ?? 0));
          }).once('error', ({ message }) => resolve(message)),
        ),
    );
    const stopped = adapter.closeGracefully({ graceMs: 300, limitMs: 8_000 });
    expect(await Promise.all(answers)).toEqual(answers.map(() => 200));
    expect(await stopped).toBe(0);
  });

  it('keeps its port open for a moment after each answer, whose client may connect again', async () => {
    const adapter = new ServiceAdapter();
    adapter.initHttpServer();
    const server: Server = adapter.getHttpServer();
    const waiting: ServerResponse[] = [];
    adapter.use((_request: IncomingMessage, response: ServerResponse) => void waiting.push(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answers = Array.from({ length: 10 }, () => fetch(`http://127.0.0.1:${port}/`));
    while (waiting.length < answers.length) await sleep(5);
    const stopped = adapter.closeGracefully({ graceMs: 0, limitMs: 8_000 });
    let hasStalled = false;
    for (const response of waiting) {
      const before = performance.now();
      await sleep(10);
      // A machine that stood still for longer than the moment shows nothing from then on.
      hasStalled ||= performance.now() - before > 20;
      if (!hasStalled) expect(server.listening).toBe(true);
      response.end();
    }
    await Promise.all(answers);
    expect(await stopped).toBe(0);
  });
});
