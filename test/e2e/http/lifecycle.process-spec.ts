import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { readEnvironment, type Environment } from '../../../src/runtime/config/environment';
import { createLogger } from '../../../src/runtime/logging/logger';
import { serve } from '../../../src/runtime/start/serve';
import { createDatabase, type TestDatabase } from '../../support/database/database';
import { latch } from '../../support/this-process/latch';
import { rawHttp } from '../../support/http/raw-http';

// A busy machine needs more than Jest's 5 s to start the service.
jest.setTimeout(30_000);

const quiet = createLogger('silent');

describe('the service, from start to stop', () => {
  let database: TestDatabase;
  let environment: Environment;
  beforeAll(async () => {
    // Without a schema: the service makes it.
    database = await createDatabase();
    environment = {
      ...readEnvironment({}),
      databaseUrl: database.url,
      port: 0,
      metricsPort: 0,
      host: '127.0.0.1',
      stopGraceMs: 0,
    };
  });
  afterAll(() => database.drop());

  /** Starts the service; `ended` settles when it has stopped. */
  async function start(options?: { lastResponses: number }) {
    const stop = new AbortController();
    const { opened: announced, open: announce } = latch<string>();
    const ended = serve(environment, quiet, stop.signal, announce, options);
    const url = await Promise.race([
      announced,
      ended.then(() => Promise.reject(new Error('it never listened'))),
    ]);
    return { url, stop: () => stop.abort(), ended };
  }

  function openConnection(url: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(socket));
      socket.once('error', reject);
    });
  }

  it('announces the address it really listens on, with the database up to date', async () => {
    const service = await start();
    expect(service.url).toMatch(/^http:\/\/localhost:\d+$/);
    const response = await fetch(`${service.url}/api/v1/demo/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(response.status).toBe(200);
    service.stop();
    await service.ended;
    await expect(openConnection(service.url)).rejects.toThrow('ECONNREFUSED');
  });

  it('starts twice on one database at the same time', async () => {
    const services = await Promise.all([start(), start()]);
    for (const { url } of services) expect((await fetch(`${url}/api/v1/health`)).status).toBe(200);
    for (const service of services) service.stop();
    await Promise.all(services.map(({ ended }) => ended));
  });

  it('finishes what is under way, closes what is idle and takes nothing new', async () => {
    const service = await start();
    const idle = await openConnection(service.url);
    const idleClosed = new Promise((resolve) => idle.once('close', resolve));
    idle.resume();

    const underWay = rawHttp(service.url, (socket) => {
      socket.write(
        'POST /api/v1/demo/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
      );
      // The idle connection closes when stopping has begun.
      void idleClosed.then(() => socket.write('}'));
    });
    // The request has reached the service by the time a later one is answered.
    expect((await fetch(`${service.url}/api/v1/health`)).status).toBe(200);

    const begin = performance.now();
    service.stop();
    await idleClosed;
    await expect(openConnection(service.url)).rejects.toThrow('ECONNREFUSED');
    const [answer] = await underWay;
    expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await service.ended;
    expect(performance.now() - begin).toBeLessThan(5000);
  });

  it('cuts off what does not end', async () => {
    const service = await start({ lastResponses: 200 });
    const stuck = await openConnection(service.url);
    const cut = new Promise((resolve) => stuck.once('close', resolve));
    stuck.on('error', () => undefined);
    stuck.resume();
    stuck.write(
      'POST /api/v1/demo/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
    );
    expect((await fetch(`${service.url}/api/v1/health`)).status).toBe(200);
    service.stop();
    await cut;
    await service.ended;
  });

  it('stops before it listens when the signal comes early', async () => {
    const announce = jest.fn();
    await serve(environment, quiet, AbortSignal.abort(), announce);
    expect(announce).not.toHaveBeenCalled();
  });

  it('says that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      await expect(
        serve({ ...environment, port }, quiet, new AbortController().signal, () => undefined),
      ).rejects.toThrow(
        `Cannot listen on 127.0.0.1 port ${port}: the port is taken; set PORT to another one`,
      );
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it('says that HOST is not its own', async () => {
    await expect(
      serve({ ...environment, host: '192.0.2.1' }, quiet, new AbortController().signal, () => undefined),
    ).rejects.toThrow('Cannot listen on 192.0.2.1 port 0: HOST is no address of this machine');
  });

  it('says that the database cannot be used, without its password', async () => {
    const url = new URL(database.url);
    url.password = 'hunter2';
    const starting = serve(
      { ...environment, databaseUrl: url.href },
      quiet,
      new AbortController().signal,
      () => undefined,
    );
    await expect(starting).rejects.toThrow(
      /^The database cannot be brought up to date: .*password authentication/,
    );
    await expect(starting).rejects.not.toThrow('hunter2');
  });
});
