import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnvironment } from '../../../src/runtime/config/environment';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/http/otlp-receiver';
import { startServiceProcess } from '../../support/processes/service-process';

jest.setTimeout(120_000);

const tracingTo = (url: string, more: NodeJS.ProcessEnv = {}) => ({
  tracing: readEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...more }).tracing,
});

const collectors: OtlpReceiver[] = [];
/** Ends with its test. */
const startCollector: typeof startOtlpReceiver = async (answer) => {
  const collector = await startOtlpReceiver(answer);
  collectors.push(collector);
  return collector;
};
afterEach(async () => {
  for (const collector of collectors.splice(0)) await collector.close();
});

describe('a collector', () => {
  /** As many requests as go out together, and some more. */
  const fillBatch = async (service: RunningApp): Promise<void> => {
    const client = api(service.url);
    for (let each = 0; each < 140; each++) expect((await client.get('/health')).status).toBe(200);
  };
  const logged = async (service: RunningApp, message: string) => {
    for (;;) {
      const lines = service.log.filter(({ msg }) => msg === message);
      if (lines.length > 0) return lines;
      await sleep(5);
    }
  };
  const countOf = async (service: RunningApp, outcome: string) => {
    const metric = service.app
      .get(Metrics, { strict: false })
      .registry.getSingleMetric('translation_spans_total');
    return (await metric?.get())?.values.find(({ labels }) => labels['outcome'] === outcome)?.value ?? 0;
  };

  it('that refuses loses spans, which are counted and logged once, and no request', async () => {
    let refuse: ((response: ServerResponse) => void) | undefined = (response) =>
      response.writeHead(403).end('Who?');
    const collector = await startCollector((response) => {
      if (refuse === undefined) response.end();
      else refuse(response);
    });
    const service = await startApp(tracingTo(collector.url));
    await fillBatch(service);
    await fillBatch(service);
    const [line] = await logged(service, 'Spans are being lost');
    expect(line).toMatchObject({ level: 'warn', context: 'Tracing', reason: 'export_failed' });
    expect(JSON.stringify(line)).not.toContain('Who?');
    expect(await countOf(service, 'export_failed')).toBeGreaterThanOrEqual(128);
    refuse = undefined;
    await fillBatch(service);
    await logged(service, 'Spans are sent again');
    expect(await countOf(service, 'exported')).toBeGreaterThanOrEqual(128);
    expect(service.log.filter(({ context }) => context === 'Tracing')).toHaveLength(2);
    await service.close();
  });

  it('that never answers keeps neither requests nor a stop waiting', async () => {
    const collector = await startCollector(() => undefined);
    const service = await startApp(tracingTo(collector.url));
    await fillBatch(service);
    await service.close();
    expect(service.log.filter(({ msg }) => msg === 'Spans were lost at the stop')).toEqual([
      expect.objectContaining({ level: 'warn', spans: 140 }),
    ]);
  });

  it('that is away neither', async () => {
    const collector = await startOtlpReceiver();
    await collector.close();
    const service = await startApp(tracingTo(collector.url));
    await fillBatch(service);
    await service.close();
    expect(service.log.filter(({ msg }) => msg === 'Spans were lost at the stop')).toHaveLength(1);
  });

  it('gets what callers record where the service itself records nothing', async () => {
    const collector = await startCollector();
    const sampling = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    const service = await startApp(tracingTo(collector.url, sampling));
    const client = api(service.url);
    await client.get('/health');
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await client.get('/health', { traceparent });
    await service.close();
    expect(collector.spans.map(({ traceId, parentId, name }) => [traceId, parentId, name])).toEqual([
      ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7', 'GET /api/v1/health'],
    ]);
  });

  it('decides nothing for callers that the operator does not trust', async () => {
    const collector = await startCollector();
    const sampling = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    const service = await startApp(tracingTo(collector.url, sampling));
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await api(service.url).get('/health', { traceparent });
    await service.close();
    expect(collector.requests).toEqual([]);
  });
});

describe('a process of the service', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await migratedDatabase();
  });
  afterAll(() => database.drop());

  /** Answers one request, stops, and says what it had loaded of OpenTelemetry. */
  async function run(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const preload = require.resolve('../../support/processes/packages-at-exit.cjs');
    const service = await startServiceProcess(database.url, {
      env: { ...env, NODE_OPTIONS: `--require ${preload}`, STOP_GRACE: '0s' },
    });
    expect((await api(service.url).get('/health')).status).toBe(200);
    expect(await service.stop()).toBe(0);
    const last = service.output.find((line) => line.startsWith('{"packages"')) ?? '';
    return (JSON.parse(last) as { readonly packages: readonly string[] }).packages;
  }

  it('sends nothing by default and where it is switched off, and loads nothing', async () => {
    const collector = await startCollector();
    const off = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' };
    // A process has its settings from nowhere else, so that one shows both.
    expect(readEnvironment(off)).toEqual(readEnvironment({}));
    // The library of metrics asks the API whether there is a trace.
    expect(await run(off)).toEqual(['api']);
    expect(collector.requests).toEqual([]);
  });

  it('sends its last spans when it is asked to stop, with the headers of the environment', async () => {
    const collector = await startCollector();
    const packages = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
      OTEL_SERVICE_NAME: 'mine',
    });
    expect(packages).toEqual(expect.arrayContaining(['sdk-trace', 'exporter-trace-otlp-proto']));
    expect(collector.spans.map(({ name }) => name)).toEqual(['GET /api/v1/health']);
    expect(collector.requests.map(({ headers }) => headers['x-key'])).toEqual(['secret']);
    expect(collector.resources).toEqual([expect.objectContaining({ 'service.name': 'mine' })]);
  });
});
