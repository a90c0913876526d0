import { setTimeout as sleep } from 'node:timers/promises';
import { Connector, type Connection } from '../../../src/platforms/connector';
import { outgoingHeaders } from '../../../src/runtime/tracing/request-context';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords } from '../../support/platforms/given-records';

type Headers = Readonly<Record<string, string>>;

/** The headers that went along to the platforms. */
const sent: { read: Headers[]; written: Headers[] } = { read: [], written: [] };

/** The sandbox as a platform far away: it notes which request it is told of, and takes its writes from the outbox. */
class WatchedConnectors extends GivenRecords {
  override connectorFor(connection: Connection): Connector {
    const sandbox = super.connectorFor(connection);
    const watched: Pick<Connector, 'local' | 'describe' | 'submit'> = {
      local: undefined,
      describe: (asked) => {
        sent.read.push(outgoingHeaders(asked.cause));
        return sandbox.describe(asked);
      },
      submit: (asked, ...rest) => {
        sent.written.push(outgoingHeaders(asked.cause));
        return sandbox.submit(asked, ...rest);
      },
    };
    return Object.assign(Object.create(sandbox) as Connector, watched);
  }
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const incoming = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'rojo=00f067aa0ba902b7' };

describe('a request with a trace context', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({}, [], new WatchedConnectors());
  });
  afterAll(() => service.close());

  const lineOf = async (requestId: string | null) => {
    for (;;) {
      const line = service.log.find(({ msg, request_id: id }) => msg === 'request' && id === requestId);
      if (line !== undefined) return line;
      await sleep(5);
    }
  };

  it('is logged under its trace, and passes it on to the platforms', async () => {
    const { key } = await service.openSession();
    const client = api(service.url, key);
    const connected = await client.post('/connect', { platform: 'platform_a' }, incoming);
    const line = await lineOf(connected.headers.get('X-Request-ID'));
    expect(line).toMatchObject({ trace_id: traceId, span_id: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(line['span_id']).not.toBe('00f067aa0ba902b7');
    const ours = {
      'x-request-id': connected.headers.get('X-Request-ID'),
      traceparent: `00-${traceId}-${String(line['span_id'])}-01`,
      tracestate: incoming.tracestate,
    };
    expect(sent.read).toEqual([ours]);
    // What was logged on the way is found by the same ID.
    expect(service.log.filter(({ msg }) => msg === 'connected')).toEqual([
      expect.objectContaining({ trace_id: traceId, span_id: line['span_id'] }),
    ]);

    const [record] = (await client.get('/objects?platform=platform_a&entity_type=payment')).body.data;
    const change = {
      format: 'canonical',
      canonical_id: record.canonical_id,
      entity_type: 'payment',
      data: { notes: 'x' },
    };
    const changed = await client.post('/propagate', change, incoming);
    const requestId = changed.headers.get('X-Request-ID');
    const { span_id: span } = await lineOf(requestId);
    const traceparent = `00-${traceId}-${String(span)}-01`;
    expect(sent.written).toEqual([{ ...ours, 'x-request-id': requestId, traceparent }]);
  });

  it.each([[{}], [{ traceparent: 'nonsense', tracestate: 'a=1' }]])(
    'begins one without (%j)',
    async (headers) => {
      const answer = await api(service.url).get('/health', headers);
      const line = await lineOf(answer.headers.get('X-Request-ID'));
      expect(line['trace_id']).toMatch(/^[0-9a-f]{32}$/);
      expect(line['trace_id']).not.toBe(traceId);
    },
  );
});
