import helmet from 'helmet';
import type { RequestHandler } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

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
  helmet()(request, answer, (error) => {
    if (error !== undefined) throw error as Error; // Helmet passes on what it would throw.
  });
  return answer.noted;
}
