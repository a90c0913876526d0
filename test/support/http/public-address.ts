import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

const ofTheConnection: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
]);

/** A request to the public address. */
export interface PassedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The status of the answer. */
  readonly status: number;
}

/** A reverse proxy in front of the instances. It starts before them. */
export interface PublicAddress {
  readonly url: string;
  /** The URLs of the instances. Requests go to them in turn. */
  readonly instances: string[];
  /** All requests so far. */
  readonly passed: PassedRequest[];
  /**
   * The status with which it answers every request itself, as a proxy with wrong routes does; undefined lets requests
   * pass.
   */
  refuseWith: number | undefined;
  close(): Promise<void>;
}

/** Starts the proxy on this machine. */
export async function openPublicAddress(): Promise<PublicAddress> {
  const instances: string[] = [];
  const passed: PassedRequest[] = [];
  let turn = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const { method = '', url: target = '', headers } = request;
      const instance = instances[(turn += 1) % instances.length];
      const refuse = (status: number): void => {
        passed.push({ method, target, headers, body, status });
        response.writeHead(status).end();
      };
      if (address.refuseWith !== undefined || instance === undefined) {
        refuse(address.refuseWith ?? 502);
        return;
      }
      // fetch sets the headers of the connection itself.
      const rest = Object.entries(headers).filter(([name]) => !ofTheConnection.has(name));
      const answer = await fetch(instance + target, {
        method,
        headers: rest.map(([name, value]): [string, string] => [name, String(value)]),
        ...(method === 'POST' && { body }),
      }).catch(() => undefined);
      if (answer === undefined) {
        refuse(502);
        return;
      }
      passed.push({ method, target, headers, body, status: answer.status });
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'text/none',
      });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: PublicAddress = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    instances,
    passed,
    refuseWith: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return address;
}
