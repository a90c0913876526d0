import helmet, { type HelmetOptions } from 'helmet';
import type { RequestHandler } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Browser security headers for data responses, as recommended by OWASP's cheat sheet for REST: a response must not load
 * resources or be framed. The omitted headers only concern pages; the page at `/docs` sets them itself.
 */
const ofData: HelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  xFrameOptions: { action: 'deny' },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

/** Sets helmet's headers. They do not depend on the request, so helmet runs once. */
export function securityHeaders(): RequestHandler {
  const headers = headersOfHelmet();
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

type Header = readonly [name: string, value: string];

/** A response that is never sent and records its headers in their original spelling. */
class NotedResponse extends ServerResponse {
  readonly noted: Header[] = [];

  override setHeader(name: string, value: number | string | readonly string[]): this {
    this.noted.push([name, String(value)]);
    return super.setHeader(name, value);
  }
}

function headersOfHelmet(): readonly Header[] {
  const request = new IncomingMessage(new Socket());
  const answer = new NotedResponse(request);
  helmet(ofData)(request, answer, (error) => {
    if (error !== undefined) throw error as Error; // Helmet passes errors to this callback.
  });
  return answer.noted;
}
