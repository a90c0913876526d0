/** An address, or its path, without the slashes at its end. */
export function withoutFinalSlashes(address: string): string {
  // The look behind keeps the search from beginning again at each of many slashes.
  return address.replace(/(?<!\/)\/+$/, '');
}

/** Whether the host of an address is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
