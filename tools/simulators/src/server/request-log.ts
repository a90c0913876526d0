import type { JsonObject } from '@app/mapper';
import type { SimulatedRequest } from './exchange';

/** A request in the log. It contains no body and no other headers than these, because they may contain secrets. */
export interface LoggedRequest {
  readonly number: number;
  /** Simulated time, ISO 8601. */
  readonly at: string;
  readonly method: string;
  /** Path and query, without the values of secret parameters. */
  readonly path: string;
  /** `X-Request-ID` and `traceparent` as they were sent; null for none. */
  readonly requestId: string | null;
  readonly traceparent: string | null;
  /** The number of requests in progress at that moment, including this one. */
  readonly running: number;
  /** The status of the answer; null while there is none, and if the connection was closed instead. */
  status: number | null;
  /** The kinds of the faults that it had. */
  readonly faults: string[];
  /** Whether the platform handled it; false if a fault replaced the answer. */
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

/** The requests to a simulator, in order of arrival. If there are too many, the oldest half is dropped. */
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

  /** Requests whose `METHOD path?query` matches; without an expression, all requests. */
  list(matching?: RegExp): readonly LoggedRequest[] {
    return matching === undefined
      ? this.entries
      : this.entries.filter(({ method, path }) => matching.test(`${method} ${path}`));
  }

  /** The maximum number of concurrent requests. */
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

// Brackets, colons and similar characters are easier to read and to match when they are decoded.
function decodedForReading(query: string): string {
  try {
    return decodeURIComponent(query.replaceAll('+', ' '));
  } catch {
    return query;
  }
}
