import { Client } from 'pg';
import type { RunningPlatformA } from '@app/simulators';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { ComparisonRefresher } from '../../../src/reconciliation/freshness/refresher';
import { SyncSchedule } from '../../../src/sync/execution/schedule';
import { readEnvironment } from '../../../src/runtime/config/environment';
import { api } from '../../support/app/api';
import {
  startLiveService,
  startUnlimited,
  type LiveCaller,
  type LiveService,
} from '../../support/live/live-platform-a';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../../support/http/otlp-receiver';

jest.setTimeout(120_000);

/** Traces of callers, by what they do in them. */
const traces = {
  connect: '10000000000000000000000000000001',
  change: '10000000000000000000000000000002',
  rejected: '10000000000000000000000000000003',
  unrecorded: '10000000000000000000000000000004',
  statement: '10000000000000000000000000000005',
  broken: '10000000000000000000000000000006',
} as const;
const CALLER = '00f067aa0ba902b7';
const in_ = (trace: keyof typeof traces, flags = '01') => ({
  traceparent: `00-${traces[trace]}-${CALLER}-${flags}`,
  tracestate: 'rojo=00f067aa0ba902b7',
});

const TEXT = 'Words of a record';
const REFUSAL = 'Words of a platform';
const FAULT = 'Words of an error';

describe('spans that a collector receives', () => {
  let collector: OtlpReceiver;
  let service: LiveService;
  let platform: RunningPlatformA;
  let caller: LiveCaller;
  let calls: ReturnType<RunningPlatformA['control']['log']['list']>;
  beforeAll(async () => {
    collector = await startOtlpReceiver();
    const { tracing } = readEnvironment({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    service = await startLiveService({ logLevel: 'debug', ...(tracing && { tracing }) });
    platform = await startUnlimited();
    caller = await service.openLive(platform);
    await doEverything();
    calls = platform.control.log.list();
    await platform.close();
    await service.close();
  });
  afterAll(() => collector.close());

  async function doEverything(): Promise<void> {
    const client = api(service.url, caller.key);
    expect((await client.post('/connect', { platform: 'platform_a' }, in_('connect'))).status).toBe(200);
    const change = {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '1823391',
      entity_type: 'payment',
    };
    const write = async (trace: keyof typeof traces, flags?: string): Promise<void> => {
      const data = { notes: `${TEXT} ${trace}` };
      const { body } = await client.post('/propagate', { ...change, data }, in_(trace, flags));
      for (;;) {
        service.app.get(Dispatcher, { strict: false }).wake();
        const { body: later } = await client.get(`/propagations/${body.data.propagation_id}`);
        const outcomes = Object.values<{ status: string }>(later.data.propagated);
        if (outcomes.every(({ status }) => !['pending', 'uncertain'].includes(status))) return;
      }
    };
    await write('change');
    await write('unrecorded', '00');
    const text = JSON.stringify({ errors: { base: [REFUSAL] } });
    platform.control.faults.add({ kind: 'status', status: 400, text, match: { method: 'PATCH' }, times: 0 });
    await write('rejected');
    platform.control.faults.clear();
    expect((await client.get('/reconciliation?currency=USD', in_('statement'))).status).toBe(200);
    await readBySchedule();
    const database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    await database.query(`update comparison_states set fingerprint = 'old'`);
    await database.end();
    const refresher = service.app.get(ComparisonRefresher, { strict: false });
    const broken = jest.spyOn(refresher, 'refresh').mockRejectedValue(new Error(FAULT));
    expect((await client.get('/reconciliation', in_('broken'))).status).toBe(500);
    broken.mockRestore();
    await fetch(`${service.url}/livez`);
    await fetch(`${service.url}/nowhere?api_key=${caller.key}`);
  }

  async function readBySchedule(): Promise<void> {
    const database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    await database.query(
      `update sync_schedules set sync_due_at = now() - interval '1 second', requested_at = now(), not_before = null`,
    );
    await database.end();
    const schedule = service.app.get(SyncSchedule, { strict: false });
    await schedule.poll(new AbortController().signal);
    await schedule.idle();
  }

  const spansOf = (trace: keyof typeof traces) =>
    collector.spans.filter(({ traceId }) => traceId === traces[trace]);
  const only = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
    const found = spans.filter((span) => span.name === name);
    expect(found).toHaveLength(1);
    return found[0]!;
  };
  const childrenOf = (parent: ReceivedSpan) =>
    collector.spans.filter(({ parentId }) => parentId === parent.spanId);

  it('are one trace from a request over its command to the calls of the platform', () => {
    const spans = spansOf('change');
    const request = only(spans, 'POST /api/v1/propagate');
    expect(request).toMatchObject({
      kind: 'server',
      parentId: CALLER,
      traceState: 'rojo=00f067aa0ba902b7',
      status: 'unset',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/propagate',
        'http.response.status_code': 200,
        'translation.request_id': expect.stringMatching(/^req_/),
        'translation.customer_id': caller.customerId,
        'translation.key_id': expect.any(String),
      },
    });
    const command = only(spans, 'outbox command');
    expect(command).toMatchObject({
      kind: 'consumer',
      parentId: request.spanId,
      status: 'unset',
      attributes: {
        'translation.platform': 'platform_a',
        'translation.entity_type': 'payment',
        'translation.outcome': 'applied',
        'translation.customer_id': caller.customerId,
        'translation.request_id': request.attributes['translation.request_id'],
      },
    });
    const write = only(spans, 'PATCH');
    expect(write).toMatchObject({
      kind: 'client',
      parentId: command.spanId,
      status: 'unset',
      attributes: {
        'http.request.method': 'PATCH',
        'http.response.status_code': 200,
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(platform.apiUrl).port),
        'translation.call': 'write',
        'translation.command_id': command.attributes['translation.command_id'],
      },
    });
    for (const span of spans) expect(span.took).toBeGreaterThan(0n);
  });

  it('have the IDs that lines of the log and calls carry', () => {
    const write = only(spansOf('change'), 'PATCH');
    const sent = calls.filter(
      ({ method, traceparent }) => method === 'PATCH' && traceparent?.includes(traces.change),
    );
    expect(sent.map(({ traceparent }) => traceparent)).toEqual([`00-${traces.change}-${write.spanId}-01`]);
    const lines = service.log.filter(({ trace_id }) => trace_id === traces.change);
    const request = only(spansOf('change'), 'POST /api/v1/propagate');
    expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({ span_id: request.spanId });
    const command = only(spansOf('change'), 'outbox command');
    expect(lines.find(({ msg }) => msg === 'write decided')).toMatchObject({ span_id: command.spanId });
  });

  it('show a connect as its request, its run and the calls of the run', () => {
    const request = only(spansOf('connect'), 'POST /api/v1/connect');
    const run = only(spansOf('connect'), 'sync run');
    expect(run).toMatchObject({
      kind: 'internal',
      parentId: request.spanId,
      attributes: {
        'translation.platform': 'platform_a',
        'translation.mode': 'live',
        'translation.whole': true,
      },
    });
    const reads = childrenOf(run).filter(({ kind }) => kind === 'client');
    expect(reads.length).toBeGreaterThan(5);
    for (const { traceId, attributes } of reads) {
      expect([traceId, attributes['translation.run_id']]).toEqual([
        traces.connect,
        run.attributes['translation.run_id'],
      ]);
    }
  });

  it('begin a trace with a run by schedule, whose calls tell the platform of none', () => {
    const [run, ...more] = collector.spans.filter(
      ({ name, parentId }) => name === 'sync run' && parentId === '',
    );
    expect([run, more]).toEqual([expect.anything(), []]);
    expect(childrenOf(run!).length).toBeGreaterThan(0);
    expect(calls.filter(({ traceparent }) => traceparent?.includes(run!.traceId))).toEqual([]);
    expect(service.log.filter(({ trace_id }) => trace_id === run!.traceId)).toContainEqual(
      expect.objectContaining({ msg: 'connected', span_id: run!.spanId }),
    );
  });

  it('leave out what a caller does not record, in every part, and tell the platform so', () => {
    expect(spansOf('unrecorded')).toEqual([]);
    const sent = calls.filter(({ traceparent }) => traceparent?.includes(traces.unrecorded));
    expect(sent.length).toBeGreaterThan(0);
    for (const { traceparent } of sent) expect(traceparent).toMatch(/-00$/);
  });

  it('fail with the status of a refusal, and without its words', () => {
    expect(only(spansOf('rejected'), 'PATCH')).toMatchObject({
      status: 'error',
      statusMessage: '',
      attributes: { 'http.response.status_code': 400, 'error.type': '400' },
    });
    expect(only(spansOf('rejected'), 'outbox command')).toMatchObject({
      status: 'error',
      statusMessage: '',
      attributes: { 'translation.outcome': 'rejected', 'error.type': 'rejected' },
    });
    // The request itself was answered.
    expect(only(spansOf('rejected'), 'POST /api/v1/propagate')).toMatchObject({ status: 'unset' });
  });

  it('fail with the type of an error', () => {
    const request = only(spansOf('broken'), 'GET /api/v1/reconciliation');
    expect(request).toMatchObject({ status: 'error', attributes: { 'error.type': '500' } });
    expect(only(spansOf('broken'), 'statement')).toMatchObject({
      parentId: request.spanId,
      status: 'error',
      statusMessage: '',
      events: 0,
      attributes: { 'error.type': 'Error' },
    });
  });

  it('show a statement within its request, and a refresh as a trace of its own', () => {
    const request = only(spansOf('statement'), 'GET /api/v1/reconciliation');
    expect(only(spansOf('statement'), 'statement')).toMatchObject({
      kind: 'internal',
      parentId: request.spanId,
      attributes: { 'translation.past': false, 'translation.complete': expect.any(Boolean) },
    });
    const refreshes = collector.spans.filter(({ name }) => name === 'comparison refresh');
    expect(refreshes.length).toBeGreaterThan(0);
    for (const { parentId, attributes } of refreshes) {
      expect([parentId, attributes['translation.customer_id']]).toEqual(['', caller.customerId]);
    }
  });

  it('leave out probes, and the addresses of requests', () => {
    expect(collector.spans.filter(({ name }) => name.includes('livez'))).toEqual([]);
    expect(
      collector.spans.filter(({ attributes }) => attributes['http.response.status_code'] === 404),
    ).toContainEqual(expect.objectContaining({ name: 'GET', kind: 'server' }));
    expect(collector.text()).not.toContain('nowhere');
  });

  it('hold no key, no secret, no words of a record, a platform or an error', () => {
    const text = collector.text();
    expect(text).toContain(caller.customerId);
    const secrets = [caller.key, platform.credentials.client_secret, TEXT, REFUSAL, FAULT];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('name the service and its instance', () => {
    for (const resource of collector.resources) {
      expect(resource).toMatchObject({
        'service.name': 'construction-data-translation',
        'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'deployment.environment.name': 'test',
        'telemetry.sdk.language': 'nodejs',
      });
    }
    expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
  });
});
