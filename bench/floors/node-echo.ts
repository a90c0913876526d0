// Bare `node:http` that reads JSON and sends it back: the most that an HTTP service on Node can reach.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const text = Buffer.from(JSON.stringify(body));
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', text.length);
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has such an address.
  process.stdout.write(`Listening on ${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
