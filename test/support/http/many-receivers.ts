import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';

/** The kinds of endpoints that do not work. */
export const deadKinds = ['refusing', 'hanging', 'redirecting', 'endless', 'slow'] as const;
export type DeadKind = (typeof deadKinds)[number];

/** An event that arrived at a working endpoint. */
export interface Arrival {
  /** The path that identifies the endpoint. */
  readonly path: string;
  /** ID of the event. */
  readonly id: string;
  /** Milliseconds from the event's time to its arrival. */
  readonly delay: number;
}

/** Receivers on this machine: one that works, and one of each kind that does not. */
export interface ManyReceivers {
  readonly arrivals: readonly Arrival[];
  urlOf(kind: DeadKind | 'living', path: string): string;
  /** Connections that are open at the receivers. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Milliseconds that the slow receiver takes to answer. */
const SLOW = 8_000;

/**
 * Starts the receivers. Those that do not work answer, if they answer at all, with a status that accepts no event.
 */
export async function startManyReceivers(): Promise<ManyReceivers> {
  const arrivals: Arrival[] = [];
  const answers: Record<
    DeadKind | 'living',
    (request: IncomingMessage, response: ServerResponse) => Promise<void>
  > = {
    living: async (request, response) => {
      const { id, at } = JSON.parse(await text(request)) as { id: string; at: string }; // As the service sends them.
      arrivals.push({ path: request.url ?? '', id, delay: Date.now() - Date.parse(at) });
      response.writeHead(204).end();
    },
    refusing: () => Promise.resolve(), // Its port is closed below.
    hanging: () => Promise.resolve(),
    redirecting: async (_request, response) => {
      response.writeHead(302, { location: urlOf('living', '/redirected') }).end();
      return Promise.resolve();
    },
    endless: async (request, response) => {
      response.writeHead(500);
      const isOpen = (): boolean => !request.destroyed && !response.destroyed;
      while (isOpen()) {
        response.write('x'.repeat(1_024));
        await sleep(50);
      }
    },
    slow: async (_request, response) => {
      await sleep(SLOW, undefined, { ref: false });
      response.writeHead(503).end();
    },
  };
  const sockets = new Set<Socket>();
  const servers = new Map<string, Server>();
  const ports = new Map<string, number>();
  for (const [kind, answer] of Object.entries(answers)) {
    const server = createServer((request, response) => void answer(request, response));
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.set(kind, server);
    ports.set(kind, (server.address() as AddressInfo).port); // It listens on a port.
  }
  servers.get('refusing')?.close();
  servers.delete('refusing');
  const urlOf = (kind: DeadKind | 'living', path: string): string =>
    `http://127.0.0.1:${ports.get(kind)}${path}`;
  return {
    arrivals,
    urlOf,
    get connections() {
      return sockets.size;
    },
    close: async () => {
      for (const server of servers.values()) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}
