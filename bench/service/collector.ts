import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A collector of spans that takes what comes and keeps nothing. */
export interface Collector {
  readonly url: string;
  /** Requests that came so far, each with some spans. */
  readonly requests: () => number;
  close(): Promise<void>;
}

/** Starts one in the process of the bench, on a free port. */
export async function startCollector(): Promise<Collector> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume().once('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server that listens on a port has one.
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
