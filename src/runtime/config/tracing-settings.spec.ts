import { EnvironmentError, readEnvironment } from './environment';
import type { TracingSettings } from './tracing-settings';

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const settings: TracingSettings = {
  endpoint: 'http://collector:4318/v1/traces',
  sampler: 'parentbased_always_on',
  ratio: 1,
  serviceName: 'construction-data-translation',
  resource: {},
};

describe('the variables of OpenTelemetry', () => {
  it.each([
    [{}],
    [{ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }],
    [{ ...collector, OTEL_SDK_DISABLED: 'TRUE' }],
  ])('record nothing: %j', (source) => {
    expect(readEnvironment(source).tracing).toBeUndefined();
  });

  it.each<[NodeJS.ProcessEnv, Partial<TracingSettings>]>([
    [{}, {}],
    [{ OTEL_SDK_DISABLED: 'false' }, {}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://x/otlp/' }, { endpoint: 'https://x/otlp/v1/traces' }],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x/y' }, { endpoint: 'https://x/y' }],
    [
      { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' },
      { sampler: 'parentbased_traceidratio', ratio: 0.01 },
    ],
    [{ OTEL_TRACES_SAMPLER_ARG: '.5' }, { ratio: 0.5 }],
    [{ OTEL_SERVICE_NAME: 'mine' }, { serviceName: 'mine' }],
    [
      { OTEL_RESOURCE_ATTRIBUTES: 'a=1, b = two%2C%20three ,service.name=theirs' },
      { serviceName: 'theirs', resource: { a: '1', b: 'two, three', 'service.name': 'theirs' } },
    ],
    [
      { OTEL_SERVICE_NAME: 'mine', OTEL_RESOURCE_ATTRIBUTES: 'service.name=theirs' },
      { serviceName: 'mine', resource: { 'service.name': 'theirs' } },
    ],
  ])('are read with a collector: %j', (source, expected) => {
    expect(readEnvironment({ ...collector, ...source }).tracing).toEqual({ ...settings, ...expected });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https://key@collector'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https://collector?key=x'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.01'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
    ['OTEL_TRACES_SAMPLER_ARG', '.'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=%zz'],
    ['OTEL_RESOURCE_ATTRIBUTES', '=1'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a=b=c'],
    ['OTEL_SDK_DISABLED', 'yes'],
  ])('refuse %s=%s', (variable, text) => {
    expect(() => readEnvironment({ ...collector, [variable]: text })).toThrow(EnvironmentError);
    expect(() => readEnvironment({ ...collector, [variable]: text })).toThrow(variable);
  });
});
