import type { ServerResponse } from 'node:http';
import { randomBase62 } from './random-base62';
import { pooledRandomBytes } from './random-pool';

/** The version of the API. Every answer names it. */
export const API_VERSION = '1.0';

const form = /^req_[A-Za-z0-9]{8,64}$/;

/** A caller's own request ID if it has our form, so that one ID can follow a call through several services; else a new one. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && form.test(header) ? header : `req_${randomBase62(20, pooledRandomBytes)}`;
}

/** The headers that every answer carries. */
export function standardHeaders(requestId: string): Readonly<Record<string, string>> {
  // Answers carry keys and customers' data: no cache between us and the caller may keep them.
  return { 'X-Request-ID': requestId, 'API-Version': API_VERSION, 'Cache-Control': 'no-store' };
}

/** Sets them: for what a handler returns, for errors, and for the few answers that Nest does not see. */
export function setStandardHeaders(response: ServerResponse, requestId: string): void {
  for (const [name, value] of Object.entries(standardHeaders(requestId))) response.setHeader(name, value);
}
