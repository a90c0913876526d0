import type { Duplex } from 'node:stream';

/** How long a connection stays half open, in milliseconds, so that its client can read why it is being closed. */
const LINGER = 500;

/**
 * Ends this side of a connection after the written data, and reads until the client ends its side, for a short time at
 * most (RFC 9112 §9.6).
 */
export function closeGently(socket: Duplex): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.end(() => {
    const limit = setTimeout(() => socket.destroy(), LINGER).unref();
    socket.once('close', () => clearTimeout(limit));
  });
}
