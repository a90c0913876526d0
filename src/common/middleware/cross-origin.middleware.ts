import type {
  CorsOptions,
  CorsOptionsDelegate,
} from '@nestjs/common/interfaces/external/cors-options.interface.js';
import type { Request, RequestHandler } from 'express';
import { isMcpPath } from '../request/mcp-path';
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

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-Request-ID',
  'traceparent',
  'tracestate',
];

/** Options for CORS preflight requests. {@link answersForOrigins} handles all other requests. */
export function preflights(origins: readonly string[]): CorsOptionsDelegate<Request> {
  const preflight: CorsOptions = {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders,
    exposedHeaders: EXPOSED,
    maxAge: 600,
  };
  const ofAgents: CorsOptions = {
    ...preflight,
    allowedHeaders: [...allowedHeaders, 'Mcp-Protocol-Version'],
  };
  const nothing: CorsOptions = { origin: false };
  return (request, use) => {
    if (request.method !== 'OPTIONS') return use(null, nothing);
    use(null, isMcpPath(request.path) ? ofAgents : preflight);
  };
}

/**
 * Declares which other origins may read a response, and which parts. The headers are those of the `cors` package, which
 * would compute them from its options for each request. The readable headers are only sent to allowed origins.
 */
export function answersForOrigins(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  const exposed = EXPOSED.join(',');
  return (request, response, next) => {
    const { method, headers } = request;
    if (method === 'OPTIONS') {
      // The package responds itself, and Nest does not see the response.
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
