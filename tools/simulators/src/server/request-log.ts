import type { JsonObject } from '@app/mapper';
import type { SimulatedRequest } from './exchange';

/** One request as the log shows it. It never has bodies or other headers than these: they carry secrets. */
export interface LoggedRequest {
  readonly number: number;
  /** Simulated time, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Path and query; values of parameters that are secrets are left out. */
  readonly path: string;
  /** `X-Request-ID` and `traceparent` as they were sent; null for none. */
  readonly requestId: string | null;
  readonly traceparent: string | null;
  /** Requests being answered at that moment, this one included. */
  readonly running: number;
  /** The status that was sent; null while there is none, and when the connection was cut instead. */
  status: number | null;
  /** Kinds of the faults that it met. */
  readonly faults: string[];
  /** Whether the platform handled it: false when a fault answered in its place. */
  handled: boolean;
}

const MOST_ENTRIES = 200_000;
const secrets = new Set([
  'access_token',
  'assertion',
  'client_secret',
  'code',
  'password',
  'refresh_token',
  'token',
]);

/** What a simulator was asked, in the order in which it came. The oldest half goes when there are too many. */
export class RequestLog {
  private entries: LoggedRequest[] = [];

  add(request: SimulatedRequest, at: Date): LoggedRequest {
    if (this.entries.length >= MOST_ENTRIES) this.entries = this.entries.slice(MOST_ENTRIES / 2);
    const entry: LoggedRequest = {
      number: request.number,
      at: at.toISOString(),
      method: request.method,
      path: shownPath(request),
      requestId: request.headers['x-request-id'] ?? null,
      traceparent: request.headers['traceparent'] ?? null,
      running: request.running,
      status: null,
      faults: [],
      handled: false,
    };
    this.entries.push(entry);
    return entry;
  }

  /** Requests whose `METHOD path?query` matches, all without an expression. */
  list(matching?: RegExp): readonly LoggedRequest[] {
    return matching === undefined
      ? this.entries
      : this.entries.filter(({ method, path }) => matching.test(`${method} ${path}`));
  }

  /** The most requests that were being answered at once. */
  mostRunning(): number {
    return this.entries.reduce((most, { running }) => Math.max(most, running), 0);
  }

  clear(): void {
    this.entries = [];
  }

  toJson(): readonly JsonObject[] {
    return this.entries.map((entry) => ({ ...entry, faults: [...entry.faults] }));
  }
}

function shownPath({ path, query }: SimulatedRequest): string {
  const shown = new URLSearchParams(
    [...query].map(([name, value]): [string, string] => [
      name,
      secrets.has(name.toLowerCase()) ? '-' : value,
    ]),
  );
  return query.size === 0 ? path : `${path}?${decodedForReading(shown.toString())}`;
}

// Brackets, colons and the like are easier to read and to match as they are.
function decodedForReading(query: string): string {
  try {
    return decodeURIComponent(query.replaceAll('+', ' '));
  } catch {
    return query;
  }
}
