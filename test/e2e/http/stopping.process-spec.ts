import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type TestDatabase } from '../../support/database/database';
import { startServiceProcess, type ServiceProcess } from '../../support/processes/service-process';
import { untilRefused } from '../../support/http/until-refused';

// A process takes some seconds to start, and up to ten to stop.
jest.setTimeout(180_000);

/** Stops that are tried; the campaign `stop` tries more. */
const STOPS = 1;

describe('a process that gets SIGTERM', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  beforeAll(async () => {
    database = await createDatabase();
  });
  beforeEach(async () => {
    service = await startServiceProcess(database.url, { logLevel: 'info', env: { STOP_GRACE: '1s' } });
  });
  afterEach(() => service.kill());
  afterAll(() => database.drop());

  it(
    `answers whatever it accepts from clients of both kinds, ${STOPS} times`,
    async () => {
      const failures: string[] = [];
      for (let round = 0; round < STOPS; round += 1) {
        if (round > 0) service = await startServiceProcess(database.url, { env: { STOP_GRACE: '1s' } });
        const clients = Array.from({ length: 16 }, (_, index) => untilRefused(service.url, index % 2 === 0));
        await sleep(200 + Math.random() * 300);
        const began = performance.now();
        expect(await service.stop()).toBe(0);
        expect(performance.now() - began).toBeLessThan(10_000);
        for (const { answered, failed } of await Promise.all(clients)) {
          expect(answered).toBeGreaterThan(0);
          failures.push(...failed);
        }
      }
      expect(failures).toEqual([]);
    },
    STOPS * 30_000,
  );

  it('answers all of many that connect at the same moment, and says that it closes', async () => {
    const { hostname, port } = new URL(service.url);
    const clients = Array.from({ length: 320 }, () => rawRequest(hostname, Number(port)));
    const stopped = service.stop();
    clients.push(...Array.from({ length: 320 }, () => rawRequest(hostname, Number(port))));
    const answers = await Promise.all(clients);
    await stopped;
    const broken = answers.filter((text) => !/^HTTP\/1\.1 200 /.test(text));
    expect(broken).toEqual([]);
    expect(answers.filter((text) => /\r\nConnection: close\r\n/i.test(text)).length).toBeGreaterThan(0);
  });

  it('closes a connection that was never used, and one that says nothing more, without a reset', async () => {
    const { hostname, port } = new URL(service.url);
    const idle = [await opened(hostname, Number(port)), await opened(hostname, Number(port))];
    idle[1]?.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => idle[1]?.once('data', resolve));
    const ends = idle.map(
      (socket) =>
        new Promise<string>((resolve) => {
          socket.resume();
          socket.once('end', () => resolve('end'));
          socket.once('error', ({ message }) => resolve(message));
        }),
    );
    const began = performance.now();
    expect(await service.stop()).toBe(0);
    expect(await Promise.all(ends)).toEqual(['end', 'end']);
    expect(performance.now() - began).toBeLessThan(6_000);
  });

  describe('while a client takes its answer slowly', () => {
    /** A document of some hundred kilobytes, asked for so often that no buffer of the system holds all of it. */
    const TIMES = 60;

    async function begin(): Promise<{ socket: Socket; received: () => number; ended: Promise<string> }> {
      const { hostname, port } = new URL(service.url);
      const socket = await opened(hostname, Number(port));
      let bytes = 0;
      socket.pause();
      socket.on('data', (chunk) => (bytes += chunk.length));
      socket.pause();
      const ended = new Promise<string>((resolve) => {
        socket.once('end', () => resolve('end'));
        socket.once('error', ({ message }) => resolve(message));
        socket.once('close', () => resolve('close'));
      });
      const one = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
      socket.write(one.repeat(TIMES));
      await sleep(1_000);
      return { socket, received: () => bytes, ended };
    }

    it('gives it the whole answer', async () => {
      const whole = Number((await fetch(`${service.url}/api/v1/openapi.json`)).headers.get('Content-Length'));
      const { socket, received, ended } = await begin();
      const stopped = service.stop();
      await sleep(3_000);
      socket.resume();
      expect(await ended).toBe('end');
      expect(received()).toBeGreaterThan(TIMES * whole);
      expect(await stopped).toBe(0);
      expect(service.output.filter((line) => line.includes('"aborted":true'))).toEqual([]);
    });

    it('cuts it in the end, says so in the log, and stops in time', async () => {
      const { socket } = await begin();
      const began = performance.now();
      expect(await service.stop()).toBe(0);
      expect(performance.now() - began).toBeLessThan(10_000);
      socket.destroy();
      const log = service.output.join('\n');
      expect(log).toContain('"aborted":true');
      expect(log).toContain('Answers took too long to go out and were cut');
    });
  });

  it('stops in time while clients send heads and bodies that do not end', async () => {
    const { hostname, port } = new URL(service.url);
    const beginnings = [
      'GET /livez HTTP/1.1\r\nHo',
      'POST /api/v1/demo/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      'POST /api/v1/nowhere HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{',
    ];
    const sockets = await Promise.all(beginnings.map(() => opened(hostname, Number(port))));
    sockets.forEach((socket, index) => socket.on('error', () => undefined).write(beginnings[index] ?? ''));
    await sleep(300);
    const began = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
    for (const socket of sockets) socket.destroy();
  });
});

function opened(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** What comes back on a connection of its own; the error where there is one. */
function rawRequest(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, host, () => socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'));
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('\r\n\r\n')) socket.end();
    });
    socket.once('error', (error) => resolve(`${text}${error.message}`));
    socket.once('close', () => resolve(text));
  });
}
