import {
  parseBytes,
  parseCurrency,
  parseDatabaseUrl,
  parseFolder,
  parseHost,
  parseLogLevel,
  parseOrigins,
  parsePort,
  parsePortOrOff,
  parseRateLimitStorage,
  parseTimeToLive,
  parseTrustProxy,
} from './setting-values';

/** One environment variable: how it is read, and what the documents say of it. */
export type Setting<Value> = {
  readonly variable: string;
  /** In Markdown, one line. */
  readonly meaning: string;
  /** @throws Unfit */
  readonly parse: (text: string) => Value;
  /** Its value must not be repeated anywhere. */
  readonly secret?: true;
} & (
  | { /** What counts while it is not set, as one would write it. */ readonly fallback: string }
  | { readonly unset: undefined; /** What that means. */ readonly unsetMeans: string }
);

/** Every variable that the service reads, in the order in which the documents tell of them. */
export const SETTINGS = {
  port: {
    variable: 'PORT',
    fallback: '3000',
    meaning: 'TCP port; 0 lets the system choose',
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
    meaning: 'TCP port of `/metrics` for Prometheus; 0 lets the system choose, `off` serves none',
    parse: parsePortOrOff,
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    unset: undefined,
    unsetMeans: 'the service runs its own',
    meaning: 'PostgreSQL 15 or newer, such as `postgres://user:password@host:5432/database`',
    parse: parseDatabaseUrl,
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
      'Origins that browsers may call from, comma separated: `https://app.example.com,http://localhost:5173`',
    parse: parseOrigins,
  },
  trustProxy: {
    variable: 'TRUST_PROXY',
    fallback: 'off',
    meaning:
      'Whose `X-Forwarded-For` names the client: `off`, `on` (one proxy), a number of proxies, or their addresses, CIDR ranges, `loopback`, `linklocal`, `uniquelocal`, comma separated',
    parse: parseTrustProxy,
  },
  rateLimitStorage: {
    variable: 'RATE_LIMIT_STORAGE',
    unset: undefined,
    unsetMeans: '`database` with `DATABASE_URL`, else `memory`',
    meaning: 'Where demo sessions are counted: in the `database`, for all instances on it, or in `memory`',
    parse: parseRateLimitStorage,
  },
  demoSessionTtlMs: {
    variable: 'DEMO_SESSION_TTL',
    fallback: '7d',
    meaning:
      'Age at which a demo session is removed with its data: a number with `s`, `m`, `h` or `d`; 0 means never',
    parse: parseTimeToLive,
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    fallback: 'info',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    parse: parseLogLevel,
  },
  bodyLimitBytes: {
    variable: 'BODY_LIMIT',
    fallback: '1mb',
    meaning:
      'Largest request body, as sent and decompressed: bytes, or a number with `b`, `kb` or `mb`; at most 256mb',
    parse: parseBytes,
  },
  defaultCurrency: {
    variable: 'DEFAULT_CURRENCY',
    fallback: 'USD',
    meaning: 'ISO 4217 code of amounts in a preview whose record and `context.currency` name none',
    parse: parseCurrency,
  },
} as const satisfies Readonly<Record<string, Setting<unknown>>>;
