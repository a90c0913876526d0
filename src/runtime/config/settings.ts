import { parseCredentialsKeys } from './credentials-keys';
import {
  parseBytes,
  parseCount,
  parseCurrency,
  parseDatabasePooler,
  parseDatabaseUrl,
  parseFolder,
  parseHost,
  parseLogLevel,
  parseNetworks,
  parseOnOff,
  parseOrigins,
  parsePort,
  parsePortOrOff,
  parsePublicUrl,
  parseRateLimitStorage,
  parseStorage,
  parseStopGrace,
  parseTimeToLive,
  parseTrustProxy,
  parseWait,
} from './setting-values';
import {
  parseCollector,
  parseRatio,
  parseResourceAttributes,
  parseSampler,
  parseTrueOrFalse,
} from './tracing-settings';

/** An environment variable: its parser, and its documentation. */
export type Setting<Value> = {
  readonly variable: string;
  /** In Markdown, one line. */
  readonly meaning: string;
  /** @throws Unfit */
  readonly parse: (text: string) => Value;
  /** The value must never be printed: it is a secret, or may hold one where it is wrong. */
  readonly secret?: true;
} & (
  | { /** The default, as an operator would write it. */ readonly fallback: string }
  | { readonly unset: undefined; /** The meaning of the unset variable. */ readonly unsetMeans: string }
);

/** Every variable that the service reads, in the order of the documentation. */
export const SETTINGS = {
  port: {
    variable: 'PORT',
    fallback: '3000',
    meaning: 'TCP port of the API; 0 lets the system choose',
    parse: parsePort,
  },
  host: {
    variable: 'HOST',
    unset: undefined,
    unsetMeans: 'all interfaces',
    meaning: 'Address or host name to listen on',
    parse: parseHost,
  },
  metricsPort: {
    variable: 'METRICS_PORT',
    fallback: '9464',
    meaning: 'TCP port of `/metrics` for Prometheus; 0 lets the system choose, `off` serves no metrics',
    parse: parsePortOrOff,
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    unset: undefined,
    unsetMeans: 'the service runs its own',
    meaning:
      'Address of a PostgreSQL server, version 15 or newer, such as `postgres://user:password@host:5432/database`',
    parse: parseDatabaseUrl,
    secret: true,
  },
  databasePooler: {
    variable: 'DATABASE_POOLER',
    fallback: 'off',
    meaning:
      '`transaction` when `DATABASE_URL` leads to a pooler that lends connections for one transaction, such as PgBouncer; `off` otherwise',
    parse: parseDatabasePooler,
  },
  credentialsKeys: {
    variable: 'CREDENTIALS_KEYS',
    unset: undefined,
    unsetMeans: 'no credentials of platforms can be stored',
    meaning:
      'Keys that encrypt the stored credentials of platforms, `id:base64[,id:base64…]` with 32 bytes each. The service encrypts with the first one, and decrypts with all',
    parse: parseCredentialsKeys,
    secret: true,
  },
  dataDir: {
    variable: 'DATA_DIR',
    fallback: '.data',
    meaning: 'Folder of the embedded database',
    parse: parseFolder,
  },
  corsAllowedOrigins: {
    variable: 'CORS_ALLOWED_ORIGINS',
    fallback: '',
    meaning:
      'Origins from which browsers may call, comma separated: `https://app.example.com,http://localhost:5173`',
    parse: parseOrigins,
  },
  console: {
    variable: 'CONSOLE',
    fallback: 'on',
    meaning: 'Whether the console for people is served at `/console`: `on` or `off`',
    parse: parseOnOff,
  },
  trustProxy: {
    variable: 'TRUST_PROXY',
    fallback: 'off',
    meaning:
      'Proxies whose `X-Forwarded-For` the service trusts: `off`, `on` (one proxy), a number of proxies, or a comma separated list of addresses, CIDR ranges, `loopback`, `linklocal`, `uniquelocal`',
    parse: parseTrustProxy,
  },
  rateLimitStorage: {
    variable: 'RATE_LIMIT_STORAGE',
    unset: undefined,
    unsetMeans: '`database` with `DATABASE_URL`, else `memory`',
    meaning:
      'Where the limit of demo sessions is counted: in the `database`, for all instances together, or in `memory`, for each instance separately',
    parse: parseRateLimitStorage,
  },
  demoSessionTtlMs: {
    variable: 'DEMO_SESSION_TTL',
    fallback: '7d',
    meaning:
      'Age at which a demo session is deleted with its data: a number with `s`, `m`, `h` or `d`; 0 means never',
    parse: parseTimeToLive,
  },
  propagateWaitMs: {
    variable: 'PROPAGATE_WAIT',
    fallback: '10s',
    meaning:
      'How long `POST /propagate` waits for live platforms before it answers: a number with `s` or `m`, at most 5m. A write that its platform has not confirmed by then is `pending`; 0 means no wait',
    parse: parseWait,
  },
  connectWaitMs: {
    variable: 'CONNECT_WAIT',
    fallback: '25s',
    meaning:
      'How long `POST /connect` waits for the end of the reading before it answers 202: a number with `s` or `m`, at most 5m',
    parse: parseWait,
  },
  syncIntervalMs: {
    variable: 'SYNC_INTERVAL',
    fallback: '5m',
    meaning:
      'How often the service reads connected live platforms again: a number with `s`, `m`, `h` or `d`; 0 means only when a webhook or a person requests it. Sandboxes are read when they are connected',
    parse: parseTimeToLive,
  },
  historyTtlMs: {
    variable: 'HISTORY_TTL',
    fallback: '400d',
    meaning:
      'Age at which the service removes history: a number with `s`, `m`, `h` or `d`; 0 means never. The age of a change counts from its decision, that of a deleted record from its deletion',
    parse: parseTimeToLive,
  },
  syncPauseMs: {
    variable: 'SYNC_PAUSE',
    fallback: '30s',
    meaning:
      'Minimum time between a reading of a live platform and the next one that its webhooks request: a number with `s` or `m`, at most 5m; 0 means none',
    parse: parseWait,
  },
  publicUrl: {
    variable: 'PUBLIC_URL',
    unset: undefined,
    unsetMeans: 'the service asks live platforms for changes and gets no webhooks',
    meaning:
      'Address under which live platforms reach this service, such as `https://api.example.com`. With it the service subscribes to their webhooks',
    parse: parsePublicUrl,
  },
  webhookAllowedNetworks: {
    variable: 'WEBHOOK_ALLOWED_NETWORKS',
    fallback: '',
    meaning:
      'Private networks to which the service may deliver events, also over HTTP and at any port, for customers and for demo sessions, which every visitor may open: comma separated CIDR ranges such as `10.1.0.0/16,fd00:1::/64`',
    parse: parseNetworks,
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    fallback: 'info',
    meaning: 'Lowest level that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    parse: parseLogLevel,
  },
  bodyLimitBytes: {
    variable: 'BODY_LIMIT',
    fallback: '1mb',
    meaning:
      'Largest request body, before and after decompression: bytes, or a number with `b`, `kb` or `mb`; at most 256mb',
    parse: parseBytes,
  },
  stopGraceMs: {
    variable: 'STOP_GRACE',
    fallback: '2s',
    meaning:
      'How long the service still accepts connections and requests after the signal to stop: a number with `s`, at most 5s; 0 means not at all. In this time each answer has `Connection: close`, so that clients and load balancers notice',
    parse: parseStopGrace,
  },
  idempotencyKeys: {
    variable: 'IDEMPOTENCY_KEYS',
    fallback: '200000',
    meaning:
      'Maximum number of answers that the service keeps for a customer under `Idempotency-Key` at a time, of 4 KB on average; it refuses a request with a further key',
    parse: parseCount,
  },
  storageQuotaBytes: {
    variable: 'STORAGE_QUOTA',
    fallback: '20gb',
    meaning:
      'Storage that history and kept answers of a customer may use before an alert fires: a number with `kb`, `mb` or `gb`; 0 means no quota. The customer’s writes continue',
    parse: parseStorage,
  },
  demoStorageQuotaBytes: {
    variable: 'DEMO_STORAGE_QUOTA',
    fallback: '256mb',
    meaning:
      'Storage that history and kept answers of a demo session may use: a number with `kb`, `mb` or `gb`; 0 means no quota. Above it, the session’s writes get 429',
    parse: parseStorage,
  },
  defaultCurrency: {
    variable: 'DEFAULT_CURRENCY',
    fallback: 'USD',
    meaning:
      'Currency (ISO 4217) of a preview whose record and `context.currency` name none; and of statements and cases while no platform that they compare is connected',
    parse: parseCurrency,
  },
  otelEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    unset: undefined,
    unsetMeans: 'no spans are recorded',
    meaning:
      'Address of an OpenTelemetry collector, such as `http://collector:4318`. Spans go to `/v1/traces` below it',
    parse: parseCollector,
    secret: true,
  },
  otelTracesEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    unset: undefined,
    unsetMeans: '`/v1/traces` below `OTEL_EXPORTER_OTLP_ENDPOINT`',
    meaning: 'The whole address to which spans go',
    parse: parseCollector,
    secret: true,
  },
  otelTracesSampler: {
    variable: 'OTEL_TRACES_SAMPLER',
    fallback: 'parentbased_always_on',
    meaning:
      'Which traces are recorded: `always_on`, `always_off`, `traceidratio`, or one of these after `parentbased_`. Those with `parentbased_` follow the decision of the caller, if its request has one',
    parse: parseSampler,
  },
  otelTracesSamplerArg: {
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    meaning: 'Share of the traces that the samplers with `traceidratio` record, from 0 to 1',
    parse: parseRatio,
  },
  otelServiceName: {
    variable: 'OTEL_SERVICE_NAME',
    unset: undefined,
    unsetMeans: '`service.name` of `OTEL_RESOURCE_ATTRIBUTES`, else `construction-data-translation`',
    meaning: 'Name of the service in its spans',
    parse: (text) => text,
  },
  otelResourceAttributes: {
    variable: 'OTEL_RESOURCE_ATTRIBUTES',
    fallback: '',
    meaning:
      'Attributes that all spans of this instance have: comma separated pairs such as `deployment.environment.name=production,team=erp`',
    parse: parseResourceAttributes,
  },
  otelSdkDisabled: {
    variable: 'OTEL_SDK_DISABLED',
    fallback: 'false',
    meaning: '`true` records no spans, whatever the other variables say',
    parse: parseTrueOrFalse,
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;
