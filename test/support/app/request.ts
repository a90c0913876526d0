import type { RequestContext } from '../../../src/runtime/tracing/request-context';
import { traceContextOf } from '../../../src/runtime/tracing/trace-context';

/** A request, for work that is asked for without one. */
export const someRequest: RequestContext = { requestId: 'req_oftests0', trace: traceContextOf(undefined) };
