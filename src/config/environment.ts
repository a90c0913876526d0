import { isIP } from 'node:net';
import { resolve } from 'node:path';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** What the service is told from outside, read once at start. */
export interface Environment {
  /** TCP port; 0 lets the system choose one. */
  readonly port: number;
  /** Address to listen on; undefined means all interfaces. */
  readonly host: string | undefined;
  /** PostgreSQL to use; undefined means the embedded one under `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Absolute path of the folder that holds the embedded database. */
  readonly dataDir: string;
  /** Origins in the form in which browsers send them. */
  readonly corsAllowedOrigins: readonly string[];
  /** Express' setting: nobody, the nearest proxies by number, or proxies by address. */
  readonly trustProxy: false | number | readonly string[];
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly bodyLimitBytes: number;
  /** ISO 4217 code. */
  readonly defaultCurrency: string;
}

/** Token under which the {@link Environment} is injected. */
export const ENVIRONMENT: unique symbol = Symbol('ENVIRONMENT');

/** Some variables hold what the service cannot work with; the message is one line that names each of them. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** Thrown by the parsers below; completes "expected …". */
class Unfit extends Error {}

/**
 * Reads the service's variables. Blank ones count as unset.
 * @throws EnvironmentError naming every variable with a bad value and what is expected instead.
 */
export function readEnvironment(source: NodeJS.ProcessEnv): Environment {
  const problems: string[] = [];

  function read<T>(name: string, parse: (text: string) => T, unset: T, secret = false): T {
    const text = source[name]?.trim();
    if (text === undefined || text === '') return unset;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      problems.push(
        `${name}: expected ${error.message}${secret ? '' : `, received ${JSON.stringify(shortened(text))}`}`,
      );
      return unset;
    }
  }

  const environment: Environment = {
    port: read('PORT', parsePort, 3000),
    host: read<string | undefined>('HOST', parseHost, undefined),
    // It may carry a password, so it is never repeated.
    databaseUrl: read<string | undefined>('DATABASE_URL', parseDatabaseUrl, undefined, true),
    dataDir: read('DATA_DIR', parseFolder, resolve('.data')),
    corsAllowedOrigins: read<readonly string[]>('CORS_ALLOWED_ORIGINS', parseOrigins, []),
    trustProxy: read<Environment['trustProxy']>('TRUST_PROXY', parseTrustProxy, false),
    logLevel: read<Environment['logLevel']>('LOG_LEVEL', parseLogLevel, 'info'),
    bodyLimitBytes: read('BODY_LIMIT', parseBytes, 1024 ** 2),
    defaultCurrency: read('DEFAULT_CURRENCY', parseCurrency, 'USD'),
  };
  if (problems.length > 0) throw new EnvironmentError(`Bad environment: ${problems.join('; ')}`);
  return environment;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535) throw new Unfit('a port number from 0 to 65535');
  return port;
}

function parseHost(text: string): string {
  if (isIP(text) === 0 && !/^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i.test(text)) {
    throw new Unfit('an IP address or a host name');
  }
  return text;
}

function parseDatabaseUrl(text: string): string {
  if (!URL.canParse(text) || !['postgres:', 'postgresql:'].includes(new URL(text).protocol)) {
    throw new Unfit('a URL such as postgres://user:password@host:5432/database');
  }
  return text;
}

function parseFolder(text: string): string {
  if (text.includes('\0')) throw new Unfit('the path of a folder');
  return resolve(text);
}

function parseOrigins(text: string): readonly string[] {
  return [...new Set(listed(text).map(parseOrigin))];
}

function parseOrigin(text: string): string {
  // Browsers send no path and lower case; a default port stays away for the schemes the URL standard knows.
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/i.test(text) || !URL.canParse(text)) {
    throw new Unfit('comma separated origins such as https://app.example.com (scheme://host[:port])');
  }
  const { origin } = new URL(text);
  return origin === 'null' ? text.toLowerCase() : origin;
}

const PROXY_GROUPS = ['loopback', 'linklocal', 'uniquelocal'];

function parseTrustProxy(text: string): Environment['trustProxy'] {
  const word = text.toLowerCase();
  if (word === 'off' || word === 'false') return false;
  if (word === 'on' || word === 'true') return 1;
  if (/^\d{1,3}$/.test(word)) return Number(word) === 0 ? false : Number(word);
  const proxies = listed(word);
  if (proxies.length === 0 || !proxies.every((proxy) => PROXY_GROUPS.includes(proxy) || isNetwork(proxy))) {
    throw new Unfit(
      'off, on (one proxy), a number of proxies, or a comma separated list of addresses, CIDR ranges, loopback, linklocal or uniquelocal',
    );
  }
  return proxies;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function parseLogLevel(text: string): Environment['logLevel'] {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (level === undefined) throw new Unfit(`one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

/** A JSON body becomes one string, and V8 holds none much longer than this. */
const MOST_BYTES = 256 * 1024 ** 2;

function parseBytes(text: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,3})?) ?(b|kb|mb)?$/i.exec(text);
  const unit = { b: 1, kb: 1024, mb: 1024 ** 2 }[match?.[2]?.toLowerCase() ?? 'b'] ?? NaN;
  const bytes = Math.floor(Number(match?.[1]) * unit);
  if (!(bytes >= 1 && bytes <= MOST_BYTES))
    throw new Unfit('a size from 1b to 256mb, such as 1048576, 512kb or 1mb');
  return bytes;
}

function parseCurrency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text) || !Intl.supportedValuesOf('currency').includes(text)) {
    throw new Unfit('an ISO 4217 code in capitals such as USD');
  }
  return text;
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
