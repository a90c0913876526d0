import type { RequestHandler } from 'express';
import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { ApiError } from '../errors/api-error';
import { headerValues } from '../headers/header-values';
import { isWebhookPath } from '../request/webhook-paths';

const methodsWithoutBody = new Set(['GET', 'HEAD', 'OPTIONS']);
const readableEncodings = new Set(['identity', 'gzip', 'x-gzip', 'deflate', 'br']);

/**
 * Refuses bodies that are not declared as JSON with 415, before any other check of the request: unknown routes, missing
 * keys and exhausted limits come later. Notifications of platforms are exempt.
 */
export const jsonOnly: RequestHandler = (request, _response, next) => {
  if (methodsWithoutBody.has(request.method) || isWebhookPath(request.path)) return next();
  if (!declaresJson(request)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json, in UTF-8');
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && !readableEncodings.has(encoding.trim().toLowerCase())) {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'Content-Encoding must be gzip, deflate or br, or be left out',
    );
  }
  next();
};

/** Whether a request declares its body as JSON in UTF-8. If the header is repeated, each value must declare it. */
export function declaresJson(request: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  const contentTypes = headerValues(request, 'content-type');
  return contentTypes.length > 0 && contentTypes.every(isJsonMediaType);
}

function isJsonMediaType(contentType: string): boolean {
  if (contentType === 'application/json') return true; // The form that most clients send.
  let mediaType: MIMEType;
  try {
    mediaType = new MIMEType(contentType);
  } catch {
    return false; // The value is not a media type.
  }
  const charset = mediaType.params.get('charset')?.toLowerCase();
  return (
    mediaType.essence === 'application/json' &&
    (charset === undefined || charset === 'utf-8' || charset === 'utf8')
  );
}
