import type { Span, SpanAttributes } from '../../../runtime/tracing/spans';
import type { PlatformRequest } from '../platform-request';
import type { PlatformResult } from '../platform-result';
import { loggedPath } from './call-log';

/**
 * The attributes of an attempt's span that are known before the attempt, by the semantic conventions for HTTP clients.
 * Of the query it has only the names, as the log.
 *
 * @param attempts the number of this attempt, from 1
 */
export function callAttributes({ method, kind, url }: PlatformRequest, attempts: number): SpanAttributes {
  const { protocol, origin, hostname, port } = new URL(URL.canParse(url) ? url : 'http://invalid');
  return {
    'http.request.method': method,
    'http.request.resend_count': attempts > 1 ? attempts - 1 : undefined,
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    'url.full': `${origin}${loggedPath(url)}`,
    'translation.call': kind,
  };
}

/** Notes the end of an attempt. By the conventions, any status from 400 is an error of a client. */
export function noteResult(span: Span, result: PlatformResult): void {
  const status = result.kind === 'answered' ? result.response.status : undefined;
  span.set({ 'http.response.status_code': status });
  if (result.kind !== 'answered') span.fail(result.reason);
  else if (result.response.status >= 400) span.fail(String(result.response.status));
}
