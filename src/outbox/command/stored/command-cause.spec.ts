import { traceContextOf } from '../../../runtime/tracing/trace-context';
import { causeFrom, causeText } from './command-cause';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('the request behind a command', () => {
  it.each([['a=b'], [undefined]])('comes back as it was stored (%j)', (state) => {
    const trace = { ...traceContextOf(traceparent, state), parentId: undefined };
    const cause = { requestId: 'req_1', trace };
    expect(causeFrom(causeText(cause))).toEqual(cause);
  });

  it.each([
    ['nothing', null],
    ['null', 'null'],
    ['no object', '[]'],
    ['no request', JSON.stringify({ traceparent })],
    ['no trace', JSON.stringify({ request_id: 'req_1' })],
    ['what is no trace', JSON.stringify({ request_id: 'req_1', traceparent: 'nonsense' })],
  ])('is unknown where %s is stored', (_what, text) => {
    expect(causeFrom(text)).toBeUndefined();
  });
});
