import type { AddressInfo } from 'node:net';

const everywhere = new Set(['::', '0.0.0.0', '::1', '127.0.0.1']);

/** A URL under which a user on this machine reaches a server. */
export function listeningUrl({ address, port, family }: AddressInfo): string {
  if (everywhere.has(address)) return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
