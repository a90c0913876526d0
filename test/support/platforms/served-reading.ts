import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Checkpoint, Connection, RecordPage, ReadScope } from '../../../src/platforms/connector';
import { GivenConnector } from './given-records';

/** What a reader in another process asks for. */
interface Asked {
  readonly connection: Connection;
  readonly scope: ReadScope;
  readonly from: Checkpoint | null;
}

/** Serves the pages of the platforms of customers over HTTP, so that services in processes of their own can read them. */
export async function serveReading(
  platformOf: (customerId: string) => GivenConnector,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const { connection, scope, from } = JSON.parse(text) as Asked; // Our own connector wrote it.
      for await (const page of platformOf(connection.customerId).read(connection, scope, from)) {
        response.end(JSON.stringify(page));
        return;
      }
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The connector of a platform whose pages are served at an address. */
export class ServedReading extends GivenConnector {
  constructor(private readonly url: string) {
    super([]);
  }

  override async *read(
    connection: Connection,
    scope: ReadScope,
    from: Checkpoint | null,
  ): AsyncIterable<RecordPage> {
    for (let next = from, first = true; first || next !== null; first = false) {
      const body = JSON.stringify({ connection, scope, from: next });
      const response = await fetch(this.url, { method: 'POST', body });
      const page = (await response.json()) as RecordPage; // As the server above wrote it.
      yield page;
      next = page.next;
    }
  }
}
