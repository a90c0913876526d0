import type { MasterKey } from './credentials-keys';
import { SETTINGS, type Setting } from './settings';
import {
  type DatabasePooler,
  type LogLevel,
  type RateLimitStorage,
  type TrustProxy,
  Unfit,
} from './setting-values';

/** The service's settings, read once at start. {@link SETTINGS} says what each means. */
export interface Environment {
  readonly port: number;
  /** Undefined means all interfaces. */
  readonly host: string | undefined;
  /** Undefined means that no metrics are served. */
  readonly metricsPort: number | undefined;
  /** PostgreSQL to use; undefined means the embedded one under `dataDir`. */
  readonly databaseUrl: string | undefined;
  readonly databasePooler: DatabasePooler;
  /** The first seals new credentials, all open stored ones. Empty: none can be stored. */
  readonly credentialsKeys: readonly MasterKey[];
  /** Absolute path of the folder that holds the embedded database. */
  readonly dataDir: string;
  /** Origins in the form in which browsers send them. */
  readonly corsAllowedOrigins: readonly string[];
  readonly trustProxy: TrustProxy;
  readonly rateLimitStorage: RateLimitStorage;
  /** Milliseconds; 0 means that demo sessions stay. */
  readonly demoSessionTtlMs: number;
  /** Milliseconds that the answer to a change waits for platforms that are far away. */
  readonly propagateWaitMs: number;
  /** Milliseconds that the answer of a connect waits. */
  readonly connectWaitMs: number;
  /** Milliseconds between two readings of a live connection; 0 means that none comes by itself. */
  readonly syncIntervalMs: number;
  /** Milliseconds that history is kept; 0 means for ever. */
  readonly historyTtlMs: number;
  /** Milliseconds between a reading and one that is asked for by a platform's call, at least. */
  readonly syncPauseMs: number;
  /** Where live platforms reach the service, without a slash at the end; undefined means that they are not asked to call. */
  readonly publicUrl: string | undefined;
  readonly logLevel: LogLevel;
  readonly bodyLimitBytes: number;
  /** Milliseconds that a service that stops still takes connections. */
  readonly stopGraceMs: number;
  readonly idempotencyKeys: number;
  /** Bytes that history and kept answers of a customer may take, of others than demo sessions; 0 means no quota. */
  readonly storageQuotaBytes: number;
  /** The same of a demo session. */
  readonly demoStorageQuotaBytes: number;
  /** ISO 4217 code. */
  readonly defaultCurrency: string;
}

/** Token under which the {@link Environment} is injected. */
export const ENVIRONMENT: unique symbol = Symbol('ENVIRONMENT');

/** Some variables hold what the service cannot work with; the message is one line that names each of them. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/**
 * Reads the service's variables. Blank ones count as unset.
 * @throws EnvironmentError naming every variable with a bad value and what is expected instead.
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
      // A secret is never repeated.
      const received = setting.secret ? '' : `, received ${JSON.stringify(shortened(text))}`;
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
    trustProxy: read(SETTINGS.trustProxy),
    // A database of one's own is there to be shared; the embedded one belongs to a single instance.
    rateLimitStorage: read(SETTINGS.rateLimitStorage) ?? (databaseUrl === undefined ? 'memory' : 'database'),
    demoSessionTtlMs: read(SETTINGS.demoSessionTtlMs),
    propagateWaitMs: read(SETTINGS.propagateWaitMs),
    connectWaitMs: read(SETTINGS.connectWaitMs),
    syncIntervalMs: read(SETTINGS.syncIntervalMs),
    historyTtlMs: read(SETTINGS.historyTtlMs),
    syncPauseMs: read(SETTINGS.syncPauseMs),
    publicUrl: read(SETTINGS.publicUrl),
    logLevel: read(SETTINGS.logLevel),
    bodyLimitBytes: read(SETTINGS.bodyLimitBytes),
    stopGraceMs: read(SETTINGS.stopGraceMs),
    idempotencyKeys: read(SETTINGS.idempotencyKeys),
    storageQuotaBytes: read(SETTINGS.storageQuotaBytes),
    demoStorageQuotaBytes: read(SETTINGS.demoStorageQuotaBytes),
    defaultCurrency: read(SETTINGS.defaultCurrency),
  };
  if (problems.length > 0) throw new EnvironmentError(`Bad environment: ${problems.join('; ')}`);
  return environment;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
