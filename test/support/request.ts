import type { RequestContext } from '../../src/tracing/request-context';
import { traceContextOf } from '../../src/tracing/trace-context';

/** A request, for work that is asked for without one. */
export const someRequest: RequestContext = { requestId: 'req_oftests0', trace: traceContextOf(undefined) };
