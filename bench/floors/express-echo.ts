// Bare Express that sends the body back: the most that an HTTP service on Express can reach.
import express from 'express';
import type { AddressInfo } from 'node:net';

const app = express();
app.use(express.json());
app.post('/echo', (request, response) => {
  response.json(request.body);
});
const server = app.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has such an address.
  process.stdout.write(`Listening on ${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
