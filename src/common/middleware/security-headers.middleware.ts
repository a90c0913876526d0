import helmet, { type HelmetOptions } from 'helmet';
import type { RequestHandler } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * What is said to browsers of answers that are data, as OWASP's cheat sheet for REST asks for it: nothing may be loaded from
 * them or frame them. The headers that are left out mean something for pages only; the page at `/docs` sets them itself.
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

/** Sets helmet's headers. They depend on no request, so helmet is asked once. */
export function securityHeaders(): RequestHandler {
  const headers = headersOfHelmet();
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

type Header = readonly [name: string, value: string];

/** An answer that goes nowhere, and notes what is set on it as it is spelt. */
class NotedAnswer extends ServerResponse {
  readonly noted: Header[] = [];

  override setHeader(name: string, value: number | string | readonly string[]): this {
    this.noted.push([name, String(value)]);
    return super.setHeader(name, value);
  }
}

function headersOfHelmet(): readonly Header[] {
  const request = new IncomingMessage(new Socket());
  const answer = new NotedAnswer(request);
  helmet(ofData)(request, answer, (error) => {
    if (error !== undefined) throw error as Error; // Helmet passes on what it would throw.
  });
  return answer.noted;
}
