import { connect } from 'node:net';

/**
 * Sends a request, and closes the connection when the body begins: the time that a client waits for the first page of
 * a long listing.
 *
 * @returns milliseconds
 * @throws if the answer has another status than 200
 */
export function timeToFirstBytes(url: string, wire: Buffer): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let since = 0;
    let received = Buffer.alloc(0);
    socket.on('connect', () => {
      since = performance.now();
      socket.write(wire);
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const head = received.indexOf('\r\n\r\n');
      // The start of the list without its first record means nothing to a client.
      if (head < 0 || received.length < head + MEANINGFUL) return;
      socket.destroy();
      const status = received.toString('latin1', 9, 12);
      if (status === '200') resolve(performance.now() - since);
      else reject(new Error(`The answer has status ${status}`));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The answer ended before its first record')));
  });
}

const MEANINGFUL = 200;
