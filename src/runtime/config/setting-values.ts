import { isIP } from 'node:net';
import { isCurrency } from '@app/mapper';
import { resolve } from 'node:path';
import { LONGEST_AGE, parseDuration } from './duration';
import { isLoopback, withoutFinalSlashes } from './web-address';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** A level of pino's, or `silent`. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Express's setting: trust no proxy, the nearest proxies by number, or proxies by address. */
export type TrustProxy = false | number | readonly string[];

/** Where the hits of the rate limit are counted. */
export type RateLimitStorage = 'memory' | 'database';

/**
 * What is between the service and PostgreSQL: nothing relevant, or a pooler that assigns a connection for each
 * transaction. With a pooler, no state outlives a transaction: no prepared statement, no session setting, no LISTEN.
 */
export type DatabasePooler = 'off' | 'transaction';

/** Thrown by the parsers of settings. The message completes the phrase "expected …". */
export class Unfit extends Error {}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65535) throw new Unfit('a port number from 0 to 65535');
  return port;
}

export function parseHost(text: string): string {
  if (isIP(text) === 0 && !/^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/i.test(text)) {
    throw new Unfit('an IP address or a host name');
  }
  return text;
}

export function parseDatabaseUrl(text: string): string {
  if (!URL.canParse(text) || !['postgres:', 'postgresql:'].includes(new URL(text).protocol)) {
    throw new Unfit('a URL such as postgres://user:password@host:5432/database');
  }
  const { username, password, pathname } = new URL(text);
  try {
    // The driver decodes them, and would end the start without the name of the variable.
    [username, password, pathname].forEach(decodeURIComponent);
  } catch {
    throw new Unfit(
      'a URL such as postgres://user:password@host:5432/database, in which a % of the user, the password or the database is written %25',
    );
  }
  return text;
}

/** The absolute path of a folder. */
export function parseFolder(text: string): string {
  if (text.includes('\0')) throw new Unfit('the path of a folder');
  return resolve(text);
}

/** Origins in the form in which browsers send them, each once. */
export function parseOrigins(text: string): readonly string[] {
  return [...new Set(listed(text).map(parseOrigin))];
}

function parseOrigin(text: string): string {
  // Browsers send the origin without a path, in lower case, and without the default port of the schemes in the URL
  // standard.
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/i.test(text) || !URL.canParse(text)) {
    throw new Unfit('comma separated origins such as https://app.example.com (scheme://host[:port])');
  }
  const { origin } = new URL(text);
  return origin === 'null' ? text.toLowerCase() : origin;
}

const PROXY_GROUPS = ['loopback', 'linklocal', 'uniquelocal'];

export function parseTrustProxy(text: string): TrustProxy {
  const word = text.toLowerCase();
  if (word === 'off' || word === 'false') return false;
  if (word === 'on' || word === 'true') return 1;
  if (/^\d{1,3}$/.test(word)) return Number(word) === 0 ? false : Number(word);
  const proxies = listed(word);
  if (proxies.length === 0 || !proxies.every(isProxy)) {
    throw new Unfit(
      'off, on (one proxy), a number of proxies, or a comma separated list of addresses, CIDR ranges (none of all addresses), loopback, linklocal or uniquelocal',
    );
  }
  return proxies;
}

function isProxy(text: string): boolean {
  // Express takes no range of all addresses, and would end the start without the name of the variable.
  return PROXY_GROUPS.includes(text) || (isNetwork(text) && !/\/0+$/.test(text));
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Networks in CIDR notation. An address alone is a network of itself. */
export function parseNetworks(text: string): readonly string[] {
  const networks = listed(text);
  if (!networks.every(isNetwork))
    throw new Unfit('comma separated CIDR ranges such as 10.1.0.0/16,fd00:1::/64');
  return networks;
}

export function parseOnOff(text: string): boolean {
  const word = text.toLowerCase();
  if (word !== 'on' && word !== 'off') throw new Unfit('on or off');
  return word === 'on';
}

export function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (level === undefined) throw new Unfit(`one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

/** A JSON body becomes one string, and V8's maximum string length is not much more than this. */
const MOST_BYTES = 256 * 1024 ** 2;

/** Bytes, from a number with an optional unit: `b`, `kb` or `mb`, in powers of 1,024. */
export function parseBytes(text: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,3})?) ?(b|kb|mb)?$/i.exec(text);
  const unit = { b: 1, kb: 1024, mb: 1024 ** 2 }[match?.[2]?.toLowerCase() ?? 'b'] ?? NaN;
  const bytes = Math.floor(Number(match?.[1]) * unit);
  if (!(bytes >= 1 && bytes <= MOST_BYTES))
    throw new Unfit('a size from 1b to 256mb, such as 1048576, 512kb or 1mb');
  return bytes;
}

/** More than a database on one server holds. */
const MOST_STORED = 1024 ** 5;

/** Bytes, like {@link parseBytes}, with the further unit `gb`; 0 means no quota. */
export function parseStorage(text: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,3})?) ?(b|kb|mb|gb)?$/i.exec(text);
  const unit = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }[match?.[2]?.toLowerCase() ?? 'b'] ?? NaN;
  const bytes = Math.floor(Number(match?.[1]) * unit);
  if (!(bytes >= 0 && bytes <= MOST_STORED)) throw new Unfit('a size such as 512mb or 20gb, or 0 for none');
  return bytes;
}

/** Maximum number of items that one database can store and count for a customer. */
const MOST_KEPT = 100_000_000;

export function parseCount(text: string): number {
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_KEPT) throw new Unfit('a whole number from 1 to 100000000');
  return count;
}

export function parseCurrency(text: string): string {
  if (!isCurrency(text)) {
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

const STORAGES: readonly RateLimitStorage[] = ['memory', 'database'];

export function parseRateLimitStorage(text: string): RateLimitStorage {
  const storage = STORAGES.find((known) => known === text.toLowerCase());
  if (storage === undefined) throw new Unfit(`one of ${STORAGES.join(', ')}`);
  return storage;
}

const POOLERS: readonly DatabasePooler[] = ['off', 'transaction'];

export function parseDatabasePooler(text: string): DatabasePooler {
  const pooler = POOLERS.find((known) => known === text.toLowerCase());
  if (pooler === undefined) throw new Unfit(`one of ${POOLERS.join(', ')}`);
  return pooler;
}

/** An optional port: undefined if it is off. */
export function parsePortOrOff(text: string): number | undefined {
  return text.toLowerCase() === 'off' ? undefined : parsePort(text);
}

/** Longest time that a response may wait for platforms, in milliseconds. */
const LONGEST_WAIT = 5 * 60_000;

/** Milliseconds; 0 means none. */
export function parseWait(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined || duration > LONGEST_WAIT) {
    throw new Unfit('a duration such as 10s, at most 5m, or 0 for none');
  }
  return duration;
}

/** Longest time for which a stopping service accepts connections, in milliseconds. */
const LONGEST_STOP_GRACE = 5_000;

/** Milliseconds. The rest of the ten seconds of a stop is for pending responses. */
export function parseStopGrace(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined || duration > LONGEST_STOP_GRACE) {
    throw new Unfit('a duration such as 2s, at most 5s, or 0 for none');
  }
  return duration;
}

/** Milliseconds; 0 means never. */
export function parseTimeToLive(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined || duration > LONGEST_AGE) {
    throw new Unfit('a duration such as 90s, 30m, 12h or 7d, at most 3650d, or 0 for never');
  }
  return duration;
}

/**
 * An address without a final slash. It may be unencrypted only on this machine, because every call to it carries a
 * secret.
 */
export function parsePublicUrl(text: string): string {
  const url = /^https?:\/\/[^\s?#@\\]+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && !isLoopback(url.hostname))) {
    throw new Unfit(
      'an https address such as https://api.example.com, without user, query or fragment (http only to a loopback address)',
    );
  }
  return withoutFinalSlashes(url.href);
}
