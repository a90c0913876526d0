import type {
  CorsOptions,
  CorsOptionsDelegate,
} from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { Request, RequestHandler } from 'express';
import { setStandardHeaders } from '../../runtime/tracing/request-id';

const EXPOSED = [
  'X-Request-ID',
  'API-Version',
  'Retry-After',
  'Idempotent-Replayed',
  'Link',
  'Content-Disposition',
  'ETag',
  'Content-Location',
];

/** How browsers' questions before a request are answered. Every other request is {@link answersForOrigins}'s. */
export function preflights(origins: readonly string[]): CorsOptionsDelegate<Request> {
  const preflight: CorsOptions = {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'X-Request-ID',
      'traceparent',
      'tracestate',
    ],
    exposedHeaders: EXPOSED,
    maxAge: 600,
  };
  const nothing: CorsOptions = { origin: false };
  return (request, use) => use(null, request.method === 'OPTIONS' ? preflight : nothing);
}

/**
 * Says which pages of other origins may read an answer, and what of it. The headers are those of the `cors` package, which
 * would work them out of its options for each request; what may be read is said to those alone who may read.
 */
export function answersForOrigins(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  const exposed = EXPOSED.join(',');
  return (request, response, next) => {
    const { method, headers } = request;
    if (method === 'OPTIONS') {
      // The package answers it, and Nest does not see it.
      setStandardHeaders(response, request.context.requestId);
    } else {
      if (headers.origin !== undefined && allowed.has(headers.origin)) {
        response.setHeader('Access-Control-Allow-Origin', headers.origin);
        response.setHeader('Access-Control-Expose-Headers', exposed);
      }
      response.setHeader('Vary', 'Origin');
    }
    next();
  };
}
