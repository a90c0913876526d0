import { isUneventfulProbe } from '../request/probe-paths';
import type { Logger } from '../../runtime/logging/logger';
import { loggedRequest } from '../../runtime/tracing/request-context';
import type { EndedRequest } from '../../runtime/metrics/ended-request';

/**
 * One line for each request, with its ID and trace. Of probes, which come every few seconds and are usually successful,
 * only refusals are logged.
 */
export function requestLog(logger: Logger): (ended: EndedRequest) => void {
  return ({ context, method, route, status, seconds, customerId, platform, keyId, aborted, cause }) => {
    const level = cause !== undefined ? 'error' : isUneventfulProbe({ route, status }) ? 'debug' : 'info';
    const { request_id, trace_id, span_id } = loggedRequest(context);
    // One literal, in which undefined members are not written. With members spread into it, some only at times, the
    // engine keeps a table for each line, which outlives the line and costs a fifth of a small request.
    logger[level](
      {
        request_id,
        trace_id,
        span_id,
        method,
        route,
        status,
        duration_ms: Math.round(seconds * 1e6) / 1e3,
        customer_id: customerId,
        platform,
        key_id: keyId,
        aborted: aborted || undefined,
        err: cause,
      },
      'request',
    );
  };
}
