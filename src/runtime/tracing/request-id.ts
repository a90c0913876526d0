import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** The version of the API, which is in every response. */
export const API_VERSION = '1.0';

const form = /^req_[A-Za-z0-9]{8,64}$/;

/**
 * A caller's own request ID if it has the service's form, so that one ID can follow a call through several services;
 * otherwise a new ID.
 */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && form.test(header) ? header : `req_${randomUUID().replaceAll('-', '')}`;
}

/** The headers of every response. */
export function standardHeaders(requestId: string): Readonly<Record<string, string>> {
  // Responses contain keys and customers' data, so no cache between the service and the caller may store them.
  return { 'X-Request-ID': requestId, 'API-Version': API_VERSION, 'Cache-Control': 'no-store' };
}

/** Sets the standard headers: for the results of handlers, for errors, and for the few responses that bypass Nest. */
export function setStandardHeaders(response: ServerResponse, requestId: string): void {
  for (const [name, value] of Object.entries(standardHeaders(requestId))) response.setHeader(name, value);
}
