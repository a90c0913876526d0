import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { root } from './project';

// Each test asks in a process of its own, which starts slowly on a busy machine.
jest.setTimeout(30_000);

describe('healthcheck.mjs', () => {
  let server: Server;
  let port: number;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/silent') return;
      response.statusCode = request.url === '/livez' || request.url === '/readyz?x' ? 200 : 503;
      response.end('{}');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
    port = (server.address() as AddressInfo).port; // A TCP server that listens has one.
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function check(
    args: string[],
    onPort = String(port),
    host?: string,
  ): Promise<{ code: unknown; err: string }> {
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(root, 'deploy/image/healthcheck.mjs'), ...args],
        { env: { PORT: onPort, ...(host !== undefined && { HOST: host }) } },
        (error, _out, err) => resolve({ code: error === null ? 0 : error.code, err }),
      );
    });
  }

  it('ends with 0 when the process is alive', async () => {
    expect(await check([])).toEqual({ code: 0, err: '' });
  });

  it('asks for the path that it is given, on the port that the service is given', async () => {
    expect(await check(['/readyz?x'], ` ${port} `)).toEqual({ code: 0, err: '' });
  });

  it.each(['', '0.0.0.0', '127.0.0.1', 'localhost'])(
    'asks where the service listens (HOST=%s)',
    async (host) => {
      expect(await check([], String(port), host)).toEqual({ code: 0, err: '' });
    },
  );

  it('does not ask elsewhere than at the address that the service is given', async () => {
    expect(await check([], String(port), '127.0.0.2')).toEqual({
      code: 1,
      err: expect.stringContaining('127.0.0.2'),
    });
  });

  it('ends with 1 and says the status when the answer is another', async () => {
    expect(await check(['/readyz'])).toEqual({ code: 1, err: '/readyz: status 503\n' });
  });

  it('ends with 1 and says so when no answer comes', async () => {
    expect(await check(['/silent'])).toEqual({ code: 1, err: '/silent: no answer within 2500 ms\n' });
  });

  it('ends with 1 and says why when nothing listens', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => void gone.listen(0, '127.0.0.1', () => resolve()));
    const free = String((gone.address() as AddressInfo).port); // As above.
    await new Promise((resolve) => gone.close(resolve));
    expect(await check([], free)).toEqual({
      code: 1,
      err: expect.stringMatching(/^\/livez: .*ECONNREFUSED/),
    });
  });
});
