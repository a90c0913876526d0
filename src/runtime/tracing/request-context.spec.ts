import { loggedRequest, outgoingHeaders } from './request-context';
import { traceContextOf } from './trace-context';

const trace = traceContextOf('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'a=b');
const request = { requestId: 'req_abcdefgh', trace };

describe('a request that work is for', () => {
  it('is passed to called systems with its ID and this service’s place in the trace', () => {
    expect(outgoingHeaders(request)).toEqual({
      'x-request-id': 'req_abcdefgh',
      traceparent: `00-${trace.traceId}-${trace.spanId}-01`,
      tracestate: 'a=b',
    });
  });

  it('is named by lines of the log', () => {
    expect(loggedRequest(request)).toEqual({
      request_id: 'req_abcdefgh',
      trace_id: trace.traceId,
      span_id: trace.spanId,
    });
  });

  it('is empty for work without a request', () => {
    expect(outgoingHeaders(undefined)).toEqual({});
    expect(loggedRequest(undefined)).toEqual({});
  });
});
