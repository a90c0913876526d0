import { resolve } from 'node:path';
import { type Environment, EnvironmentError, readEnvironment } from './environment';
import { SETTINGS } from './settings';

function refusal(source: NodeJS.ProcessEnv): string {
  try {
    readEnvironment(source);
  } catch (error) {
    if (error instanceof EnvironmentError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

const DEFAULTS: Environment = {
  port: 3000,
  host: undefined,
  metricsPort: 9464,
  databaseUrl: undefined,
  databasePooler: 'off',
  credentialsKeys: [],
  dataDir: resolve('.data'),
  corsAllowedOrigins: [],
  console: true,
  trustProxy: false,
  rateLimitStorage: 'memory',
  demoSessionTtlMs: 7 * 24 * 3_600_000,
  propagateWaitMs: 10_000,
  connectWaitMs: 25_000,
  syncIntervalMs: 300_000,
  historyTtlMs: 400 * 24 * 3_600_000,
  syncPauseMs: 30_000,
  publicUrl: undefined,
  webhookAllowedNetworks: [],
  logLevel: 'info',
  bodyLimitBytes: 1_048_576,
  stopGraceMs: 2_000,
  idempotencyKeys: 200_000,
  storageQuotaBytes: 20 * 1024 ** 3,
  demoStorageQuotaBytes: 256 * 1024 ** 2,
  defaultCurrency: 'USD',
  tracing: undefined,
};

describe('readEnvironment', () => {
  it('has a default for everything', () => {
    expect(readEnvironment({})).toEqual(DEFAULTS);
  });

  it('takes a blank variable for an unset one', () => {
    expect(
      readEnvironment({ PORT: '', HOST: ' ', DATABASE_URL: '', LOG_LEVEL: '\t', TRUST_PROXY: '' }),
    ).toEqual(DEFAULTS);
  });

  it.each<[string, string, Partial<Environment>]>([
    ['PORT', '0', { port: 0 }],
    ['PORT', ' 8080 ', { port: 8080 }],
    ['HOST', '127.0.0.1', { host: '127.0.0.1' }],
    ['HOST', '::', { host: '::' }],
    ['HOST', 'localhost', { host: 'localhost' }],
    ['METRICS_PORT', '0', { metricsPort: 0 }],
    ['CONSOLE', 'Off', { console: false }],
    ['CONSOLE', 'on', { console: true }],
    ['METRICS_PORT', 'OFF', { metricsPort: undefined }],
    [
      'DATABASE_URL',
      'postgres://a:b@db:5432/x',
      { databaseUrl: 'postgres://a:b@db:5432/x', rateLimitStorage: 'database' },
    ],
    [
      'DATABASE_URL',
      'postgresql:///x?host=/run/pg',
      { databaseUrl: 'postgresql:///x?host=/run/pg', rateLimitStorage: 'database' },
    ],
    ['DATABASE_POOLER', 'Transaction', { databasePooler: 'transaction' }],
    ['DATABASE_POOLER', 'off', { databasePooler: 'off' }],
    ['RATE_LIMIT_STORAGE', 'Database', { rateLimitStorage: 'database' }],
    ['DEMO_SESSION_TTL', '90s', { demoSessionTtlMs: 90_000 }],
    ['DEMO_SESSION_TTL', '12h', { demoSessionTtlMs: 12 * 3_600_000 }],
    ['HISTORY_TTL', '30d', { historyTtlMs: 30 * 24 * 3_600_000 }],
    ['HISTORY_TTL', '0', { historyTtlMs: 0 }],
    ['DEMO_SESSION_TTL', '0', { demoSessionTtlMs: 0 }],
    ['PROPAGATE_WAIT', '1m', { propagateWaitMs: 60_000 }],
    ['PROPAGATE_WAIT', '0', { propagateWaitMs: 0 }],
    ['CONNECT_WAIT', '0', { connectWaitMs: 0 }],
    ['CONNECT_WAIT', '90s', { connectWaitMs: 90_000 }],
    ['SYNC_INTERVAL', '0', { syncIntervalMs: 0 }],
    ['SYNC_INTERVAL', '1h', { syncIntervalMs: 3_600_000 }],
    ['STOP_GRACE', '5s', { stopGraceMs: 5_000 }],
    ['STOP_GRACE', '0', { stopGraceMs: 0 }],
    ['SYNC_PAUSE', '0', { syncPauseMs: 0 }],
    ['SYNC_PAUSE', '2m', { syncPauseMs: 120_000 }],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.1.0.0/16, ::1', { webhookAllowedNetworks: ['10.1.0.0/16', '::1'] }],
    ['PUBLIC_URL', 'https://API.example.com/', { publicUrl: 'https://api.example.com' }],
    ['PUBLIC_URL', 'https://example.com/data/', { publicUrl: 'https://example.com/data' }],
    ['PUBLIC_URL', 'http://127.0.0.1:3000', { publicUrl: 'http://127.0.0.1:3000' }],
    ['DATA_DIR', '/var/lib/translation', { dataDir: '/var/lib/translation' }],
    ['DATA_DIR', 'state', { dataDir: resolve('state') }],
    ['CORS_ALLOWED_ORIGINS', 'https://a.example', { corsAllowedOrigins: ['https://a.example'] }],
    [
      'CORS_ALLOWED_ORIGINS',
      'HTTPS://App.Example.com:443, http://localhost:5173,,http://localhost:5173',
      { corsAllowedOrigins: ['https://app.example.com', 'http://localhost:5173'] },
    ],
    ['CORS_ALLOWED_ORIGINS', 'capacitor://localhost', { corsAllowedOrigins: ['capacitor://localhost'] }],
    ['TRUST_PROXY', 'off', { trustProxy: false }],
    ['TRUST_PROXY', 'False', { trustProxy: false }],
    ['TRUST_PROXY', '0', { trustProxy: false }],
    ['TRUST_PROXY', 'on', { trustProxy: 1 }],
    ['TRUST_PROXY', 'true', { trustProxy: 1 }],
    ['TRUST_PROXY', '2', { trustProxy: 2 }],
    ['TRUST_PROXY', 'loopback, 10.0.0.0/8,fd00::/8', { trustProxy: ['loopback', '10.0.0.0/8', 'fd00::/8'] }],
    ['LOG_LEVEL', 'DEBUG', { logLevel: 'debug' }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['BODY_LIMIT', '2048', { bodyLimitBytes: 2048 }],
    ['STORAGE_QUOTA', '1.5gb', { storageQuotaBytes: 1_610_612_736 }],
    ['DEMO_STORAGE_QUOTA', '0', { demoStorageQuotaBytes: 0 }],
    ['BODY_LIMIT', '512kb', { bodyLimitBytes: 524_288 }],
    ['BODY_LIMIT', '1.5MB', { bodyLimitBytes: 1_572_864 }],
    ['BODY_LIMIT', '100 b', { bodyLimitBytes: 100 }],
    ['IDEMPOTENCY_KEYS', '5000000', { idempotencyKeys: 5_000_000 }],
    ['DEFAULT_CURRENCY', 'QAR', { defaultCurrency: 'QAR' }],
    ['DEFAULT_CURRENCY', 'CLF', { defaultCurrency: 'CLF' }],
    ['DEFAULT_CURRENCY', 'UYW', { defaultCurrency: 'UYW' }],
    ['DEFAULT_CURRENCY', 'VED', { defaultCurrency: 'VED' }],
  ])('%s=%j', (name, text, expected) => {
    expect(readEnvironment({ [name]: text })).toEqual({ ...DEFAULTS, ...expected });
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000.5'],
    ['PORT', '0x10'],
    ['PORT', 'http'],
    ['HOST', 'http://localhost'],
    ['HOST', 'a b'],
    ['DATA_DIR', 'a\0b'],
    ['CORS_ALLOWED_ORIGINS', '*'],
    ['CORS_ALLOWED_ORIGINS', 'app.example.com'],
    ['CORS_ALLOWED_ORIGINS', 'https://app.example.com/'],
    ['CORS_ALLOWED_ORIGINS', 'https://ok.example, https://user@app.example.com'],
    ['CORS_ALLOWED_ORIGINS', 'https://app.example.com:99999'],
    ['TRUST_PROXY', 'yes please'],
    ['TRUST_PROXY', '-1'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', 'loopback,::/0'],
    ['TRUST_PROXY', '10.0.0.1/00'],
    ['TRUST_PROXY', ','],
    ['LOG_LEVEL', 'verbose'],
    ['METRICS_PORT', '65536'],
    ['CONSOLE', 'maybe'],
    ['DATABASE_POOLER', 'session'],
    ['RATE_LIMIT_STORAGE', 'redis'],
    ['STORAGE_QUOTA', '-1'],
    ['DEMO_STORAGE_QUOTA', 'much'],
    ['DEMO_SESSION_TTL', 'a week'],
    ['DEMO_SESSION_TTL', '5'],
    ['DEMO_SESSION_TTL', '3651d'],
    ['STOP_GRACE', '6s'],
    ['STOP_GRACE', '2'],
    ['STOP_GRACE', '-1s'],
    ['PROPAGATE_WAIT', '10'],
    ['PROPAGATE_WAIT', '301s'],
    ['PUBLIC_URL', 'http://api.example.com'],
    ['PUBLIC_URL', 'https://api.example.com/?a=b'],
    ['PUBLIC_URL', 'api.example.com'],
    ['BODY_LIMIT', '0'],
    ['BODY_LIMIT', '1gb'],
    ['BODY_LIMIT', '257mb'],
    ['BODY_LIMIT', 'mb'],
    ['IDEMPOTENCY_KEYS', '0'],
    ['IDEMPOTENCY_KEYS', '1e3'],
    ['IDEMPOTENCY_KEYS', '100000001'],
    ['DEFAULT_CURRENCY', 'usd'],
    ['DEFAULT_CURRENCY', 'XQX'],
    ['DEFAULT_CURRENCY', 'HRK'],
    ['DEFAULT_CURRENCY', 'constructor'],
  ])('refuses %s=%j and repeats it', (name, text) => {
    const message = refusal({ [name]: text });
    expect(message).toMatch(new RegExp(`^Bad environment: ${name}: expected `));
    expect(message).toContain(JSON.stringify(text));
  });

  it('names every bad variable in one line', () => {
    const message = refusal({ PORT: 'x', LOG_LEVEL: 'loud\ner', DEFAULT_CURRENCY: 'dollar' });
    expect(message).toMatch(/PORT: .*LOG_LEVEL: .*DEFAULT_CURRENCY: /);
    expect(message).not.toContain('\n');
  });

  it.each([
    'mysql://root:hunter2@db/x',
    'db:hunter2',
    '//:hunter2@',
    'postgres://a:hunter2@db:port/x',
    'postgres://a:hunter2%ok@db/x',
    'postgres://a%ff:hunter2@db/x',
    'postgres://a:hunter2@db/x%ff',
  ])('never repeats a database address (%s)', (databaseUrl) => {
    const message = refusal({ DATABASE_URL: databaseUrl });
    expect(message).toMatch(/^Bad environment: DATABASE_URL: expected a URL such as /);
    expect(message).not.toContain('hunter2');
  });

  it.each([
    ['PUBLIC_URL', 'https://user:hunter2@api.example.com', '"https://user:…@api.example.com"'],
    ['PUBLIC_URL', 'https://:hunter2/a@b@api.example.com/x', '"https://:…@api.example.com/x"'],
    [
      'CORS_ALLOWED_ORIGINS',
      'https://a:hunter2@a.example,https://b:hunter2@b.example:1',
      '"https://a:…@a.example,https://b:…@b.example:1"',
    ],
    ['CORS_ALLOWED_ORIGINS', 'https://app.example.com:99999', '"https://app.example.com:99999"'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://user:hunter2@collector', 'fragment'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://hunter2@collector', 'fragment'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https://collector/v1/traces?key=hunter2', 'fragment'],
  ])('never repeats a password in an address (%s=%s)', (name, text, end) => {
    const message = refusal({ [name]: text });
    expect(message).toMatch(new RegExp(`^Bad environment: ${name}: expected `));
    expect(message).not.toContain('hunter2');
    expect(message.endsWith(end)).toBe(true);
  });

  it('asks for the variables of the settings, and for no other', () => {
    const asked: string[] = [];
    readEnvironment(new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void asked.push(String(name)) }));
    expect(asked.sort()).toEqual(
      Object.values(SETTINGS)
        .map(({ variable }) => variable)
        .sort(),
    );
  });

  it('counts the limit where the operator says, whatever the database', () => {
    const source = { DATABASE_URL: 'postgres://a:b@db:5432/x', RATE_LIMIT_STORAGE: 'memory' };
    expect(readEnvironment(source).rateLimitStorage).toBe('memory');
  });
});
