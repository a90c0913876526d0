import { isUneventfulProbe } from '../request/probe-paths';
import type { EndedRequest } from '../../runtime/metrics/ended-request';
import { errorType } from '../../runtime/tracing/spans';

/**
 * Ends the span of a request that is recorded. Attributes follow the semantic conventions for HTTP servers, without the
 * path, the query and the addresses, which the log leaves out too. As in the log, a probe that finds nothing wrong is
 * left out: its span never ends, so it is not sent.
 */
export function endRequestSpan(ended: EndedRequest): void {
  const { span, context, method, route, status, customerId, platform, keyId, aborted, cause } = ended;
  if (span === undefined || isUneventfulProbe(ended)) return;
  span.set({
    'http.request.method': method,
    'http.route': route ?? undefined,
    'http.response.status_code': status,
    'translation.request_id': context.requestId,
    'translation.customer_id': customerId,
    'translation.platform': platform,
    'translation.key_id': keyId,
    'translation.aborted': aborted || undefined,
  });
  // By the conventions, a status below 500 is no error of the server.
  if (cause !== undefined) span.fail(errorType(cause));
  else if (status >= 500) span.fail(String(status));
  span.end(route === null ? method : `${method} ${route}`);
}
