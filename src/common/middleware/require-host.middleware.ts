import type { RequestHandler } from 'express';
import { isIPv6 } from 'node:net';
import { invalidInput } from '../errors/api-error';
import { headerValues } from '../headers/header-values';

// RFC 3986 §3.2.2 (reg-name, IPv4address): unreserved and sub-delims characters, and percent-encoded bytes.
const nameWithPort = /^(?:[\w.~!$&'()*+,;=-]|%[\dA-Fa-f]{2})*(?::\d*)?$/;
const bracketed = /^\[([^\]]*)\](?::\d*)?$/;

/**
 * Refuses a request without exactly one valid Host header (RFC 9112 §3.2): a proxy in front of the service may have
 * read another host than the service would. Node's own refusal lacks this service's headers, so it is switched off.
 */
export const requireHost: RequestHandler = (request, _response, next) => {
  const hosts = headerValues(request, 'host');
  const [host] = hosts;
  if (host === undefined) {
    if (request.httpVersion === '1.1') throw invalidInput(['the Host header is missing']);
  } else if (hosts.length > 1) {
    throw invalidInput(['the Host header must be given only once']);
  } else if (!isHost(host)) {
    throw invalidInput(['the Host header is no valid host']);
  }
  next();
};

/** Whether a text is a valid Host header; empty if the target of the request has no authority. */
export function isHost(text: string): boolean {
  const address = bracketed.exec(text)?.[1];
  // Node's own check accepts a zone, which a Host header must not contain.
  if (address !== undefined) return isIPv6(address) && !address.includes('%');
  return nameWithPort.test(text);
}
