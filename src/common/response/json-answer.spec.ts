import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendJson } from './json-answer';

describe('sendJson', () => {
  it.each([
    '',
    '{"city":"Ulm"}',
    '{"city":"Köln"}',
    '{"city":"東京"}',
    '{"face":"🙂"}',
    '\u007f\u0080\u00ff',
  ])('writes %j as UTF-8, as text and as bytes', async (text) => {
    const server = createServer((request, response) =>
      sendJson(response, request.url === '/text' ? text : Buffer.from(text)),
    ).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // A server that listens on TCP has such an address.
      for (const path of ['text', 'bytes']) {
        const answer = await fetch(`http://127.0.0.1:${port}/${path}`);
        const bytes = Buffer.from(await answer.arrayBuffer());
        expect(bytes.equals(Buffer.from(text))).toBe(true);
        expect(answer.headers.get('content-length')).toBe(String(bytes.length));
      }
    } finally {
      server.close();
    }
  });
});
