import { useSyncExternalStore } from 'react';
import type { SentRequest } from './curl';

/** A call of this tab. */
export interface Call {
  readonly number: number;
  readonly request: SentRequest;
  /** Path and query. */
  readonly path: string;
  /** Undefined while it is under way, and when there was no answer. */
  readonly status: number | undefined;
  /** Undefined while it is under way. */
  readonly milliseconds: number | undefined;
  readonly requestId: string;
  readonly replayed: boolean;
}

/** Calls that the drawer keeps. */
export const KEPT_CALLS = 200;

let calls: readonly Call[] = [];
let last = 0;
/** How often calls were forgotten. */
let forgotten = 0;
const listeners = new Set<() => void>();

function keep(next: readonly Call[]): void {
  calls = next;
  for (const listener of listeners) listener();
}

/** The last calls, the latest first. */
export function useCalls(): readonly Call[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => calls,
  );
}

/** Forgets the calls: they belong to the key. */
export function forgetCalls(): void {
  forgotten += 1;
  keep([]);
}

/**
 * Returns a `fetch` that records requests for the drawer, until the calls are forgotten. A request that is sent later,
 * such as a retry of a call that was in progress, is not recorded, because it belongs to a key that the console has
 * forgotten.
 */
export function recordedFetch(): (request: Request) => Promise<Response> {
  const before = forgotten;
  return (request) => recorded(request, () => forgotten === before);
}

/** Of the headers it keeps those that change what a request means. */
async function recorded(request: Request, isKept: () => boolean): Promise<Response> {
  const number = (last += 1);
  const start = performance.now();
  const url = new URL(request.url);
  const sent: SentRequest = {
    method: request.method,
    url: request.url,
    headers: meaningful(request.headers),
    body: request.method === 'GET' ? undefined : await request.clone().text(),
  };
  const begun: Call = {
    number,
    request: sent,
    path: url.pathname + url.search,
    status: undefined,
    milliseconds: undefined,
    requestId: request.headers.get('X-Request-ID') ?? '',
    replayed: false,
  };
  if (!isKept()) return fetch(request);
  keep([begun, ...calls].slice(0, KEPT_CALLS));
  const end = (facts: Partial<Call>): void => {
    const milliseconds = Math.round(performance.now() - start);
    keep(calls.map((call) => (call.number === number ? { ...call, ...facts, milliseconds } : call)));
  };
  try {
    const response = await fetch(request);
    end({
      status: response.status,
      requestId: response.headers.get('X-Request-ID') ?? begun.requestId,
      replayed: response.headers.get('Idempotent-Replayed') === 'true',
    });
    return response;
  } catch (error) {
    end({});
    throw error;
  }
}

function meaningful(headers: Headers): Record<string, string> {
  const named = ['Accept', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'];
  return Object.fromEntries(
    named.flatMap((name) => {
      const value = headers.get(name);
      return value === null || value === '*/*' ? [] : [[name, value]];
    }),
  );
}
