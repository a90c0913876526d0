import type { MasterKey } from './credentials-keys';
import { SETTINGS, type Setting } from './settings';
import {
  type DatabasePooler,
  type LogLevel,
  type RateLimitStorage,
  type TrustProxy,
  Unfit,
} from './setting-values';
import { tracingSettings, type TracingSettings } from './tracing-settings';

/** The service's settings, read once at start. {@link SETTINGS} documents each of them. */
export interface Environment {
  readonly port: number;
  /** Undefined means all interfaces. */
  readonly host: string | undefined;
  /** Undefined means that the metrics are off. */
  readonly metricsPort: number | undefined;
  /** PostgreSQL to use; undefined means the embedded one under `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly databasePooler: DatabasePooler;
  /** The first key encrypts new credentials, all keys decrypt stored ones. If empty, no credentials can be stored. */
  readonly credentialsKeys: readonly MasterKey[];
  /** Absolute path of the folder that holds the embedded database. */
  readonly dataDir: string;
  /** Origins in the form that browsers send. */
  readonly corsAllowedOrigins: readonly string[];
  /** Whether the console is served at `/console`. */
  readonly console: boolean;
  readonly trustProxy: TrustProxy;
  /** Where the rate limit of demo sessions is counted. */
  readonly rateLimitStorage: RateLimitStorage;
  /** Milliseconds; 0 means that demo sessions never expire. */
  readonly demoSessionTtlMs: number;
  /** Milliseconds that the response to a change waits for remote platforms. */
  readonly propagateWaitMs: number;
  /** Milliseconds that the response to a connect waits. */
  readonly connectWaitMs: number;
  /** Milliseconds between two readings of a live connection; 0 means that no reading is scheduled. */
  readonly syncIntervalMs: number;
  /** Milliseconds that history is kept; 0 means for ever. */
  readonly historyTtlMs: number;
  /** Minimum milliseconds between a reading and a reading that a platform's notification requests. */
  readonly syncPauseMs: number;
  /**
   * The address at which live platforms reach the service, without a final slash; undefined means that the service does
   * not subscribe to notifications.
   */
  readonly publicUrl: string | undefined;
  /** CIDR ranges to which events may be delivered though they are not public. */
  readonly webhookAllowedNetworks: readonly string[];
  readonly logLevel: LogLevel;
  /** Maximum bytes of a request body, before and after decompression. */
  readonly bodyLimitBytes: number;
  /** Milliseconds for which a stopping service still accepts connections. */
  readonly stopGraceMs: number;
  /** The most responses that are stored for a customer under idempotency keys. */
  readonly idempotencyKeys: number;
  /** Maximum bytes of a customer's history and stored responses, except for demo sessions; 0 means no quota. */
  readonly storageQuotaBytes: number;
  /** Maximum bytes for a demo session. */
  readonly demoStorageQuotaBytes: number;
  /** ISO 4217 code of the currency of a preview whose record and context name none. */
  readonly defaultCurrency: string;
  /** Undefined means that no spans are recorded. */
  readonly tracing: TracingSettings | undefined;
}

/** Token under which the {@link Environment} is injected. */
export const ENVIRONMENT: unique symbol = Symbol('ENVIRONMENT');

/** Some variables have unusable values. The message is one line that names each of them. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/**
 * Reads the service's variables. Blank variables count as unset.
 * @throws EnvironmentError naming every variable with a bad value and the expected form.
 */
export function readEnvironment(source: NodeJS.ProcessEnv): Environment {
  const problems: string[] = [];

  function read<T>(setting: Extract<Setting<T>, { fallback: string }>): T;
  function read<T>(setting: Extract<Setting<T>, { unset: undefined }>): T | undefined;
  function read<T>(setting: Setting<T>): T | undefined {
    const unset = 'fallback' in setting ? setting.parse(setting.fallback) : undefined;
    const text = source[setting.variable]?.trim();
    if (text === undefined || text === '') return unset;
    try {
      return setting.parse(text);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      // Secrets never appear in messages.
      const received = setting.secret
        ? ''
        : `, received ${JSON.stringify(shortened(withoutPasswords(text)))}`;
      problems.push(`${setting.variable}: expected ${error.message}${received}`);
      return unset;
    }
  }

  const databaseUrl = read(SETTINGS.databaseUrl);
  const environment: Environment = {
    port: read(SETTINGS.port),
    host: read(SETTINGS.host),
    metricsPort: read(SETTINGS.metricsPort),
    databaseUrl,
    databasePooler: read(SETTINGS.databasePooler),
    credentialsKeys: read(SETTINGS.credentialsKeys) ?? [],
    dataDir: read(SETTINGS.dataDir),
    corsAllowedOrigins: read(SETTINGS.corsAllowedOrigins),
    console: read(SETTINGS.console),
    trustProxy: read(SETTINGS.trustProxy),
    // An external database can be shared by instances. The embedded database belongs to a single instance.
    rateLimitStorage: read(SETTINGS.rateLimitStorage) ?? (databaseUrl === undefined ? 'memory' : 'database'),
    demoSessionTtlMs: read(SETTINGS.demoSessionTtlMs),
    propagateWaitMs: read(SETTINGS.propagateWaitMs),
    connectWaitMs: read(SETTINGS.connectWaitMs),
    syncIntervalMs: read(SETTINGS.syncIntervalMs),
    historyTtlMs: read(SETTINGS.historyTtlMs),
    syncPauseMs: read(SETTINGS.syncPauseMs),
    publicUrl: read(SETTINGS.publicUrl),
    webhookAllowedNetworks: read(SETTINGS.webhookAllowedNetworks),
    logLevel: read(SETTINGS.logLevel),
    bodyLimitBytes: read(SETTINGS.bodyLimitBytes),
    stopGraceMs: read(SETTINGS.stopGraceMs),
    idempotencyKeys: read(SETTINGS.idempotencyKeys),
    storageQuotaBytes: read(SETTINGS.storageQuotaBytes),
    demoStorageQuotaBytes: read(SETTINGS.demoStorageQuotaBytes),
    defaultCurrency: read(SETTINGS.defaultCurrency),
    tracing: tracingSettings({
      disabled: read(SETTINGS.otelSdkDisabled),
      endpoint: read(SETTINGS.otelEndpoint),
      tracesEndpoint: read(SETTINGS.otelTracesEndpoint),
      sampler: read(SETTINGS.otelTracesSampler),
      ratio: read(SETTINGS.otelTracesSamplerArg),
      serviceName: read(SETTINGS.otelServiceName),
      resource: read(SETTINGS.otelResourceAttributes),
    }),
  };
  if (problems.length > 0) throw new EnvironmentError(`Bad environment: ${problems.join('; ')}`);
  return environment;
}

/** The text of an operator with an ellipsis in place of each password in an address. */
function withoutPasswords(text: string): string {
  return text.replace(/(:\/\/[^\s/:@]*:)[^\s,]*@/g, '$1…@');
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
