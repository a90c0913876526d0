import { exceededLimit, type StructureLimits } from '@app/mapper';
import { Agent } from 'undici';
import { decompressed, Undecodable } from './decompress';
import { Exchange, MOST_REFUSAL_BYTES, type ExchangeEnd } from './exchange';
import type { CallLimits, PlatformRequest, RequestBody } from '../platform-request';
import { PlatformResponse } from '../platform-response';
import type { PlatformResult } from '../platform-result';

/**
 * The most connections to one host, which all customers of one platform share. A call that waits for one counts as a connection
 * that takes too long. So there are more than the commands (128, `src/outbox/dispatch/dispatcher.ts`) and the runs (64 of the
 * schedule and 64 taken over, `src/sync/execution/concurrent-runs.ts`) that an instance works on at a time, and some are left for
 * calls of requests.
 */
const MOST_CONNECTIONS = 320;

/** The time limit of a connection attempt, whichever call waits for it, in milliseconds. */
const CONNECT_LIMIT_MS = 10_000;

/**
 * Limits for the structure of a platform's JSON. A response beyond them would take seconds to parse, and gigabytes of
 * memory.
 */
const ANSWER_STRUCTURE: StructureLimits = { levels: 100, containers: 500_000, names: 20_000 };

/** Bytes of the headers of an answer. */
const MOST_HEADER_BYTES = 64 * 1024;

/**
 * HTTP to the platforms: keeps connections alive, and follows no redirects. It names no customer and knows no
 * credentials; the caller supplies everything that is sent.
 */
export class HttpExchanges {
  // Closes the connections of a host that was not used for some seconds.
  private readonly agent = new Agent({
    connections: MOST_CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MOST_HEADER_BYTES,
    connect: { timeout: CONNECT_LIMIT_MS },
  });

  /**
   * Sends one request once, and waits for the whole of its answer.
   *
   * @param limits of this attempt
   * @throws the signal's reason when that aborts, and nothing else
   */
  async send(request: PlatformRequest, limits: CallLimits): Promise<PlatformResult> {
    request.signal.throwIfAborted();
    const end = await this.exchange(request, limits);
    if (end.kind !== 'raw') return end;
    const { status, headers } = end;
    const isRefusal = status >= 300;
    const mostBytes = isRefusal ? MOST_REFUSAL_BYTES : limits.mostBytes;
    try {
      const body = await decompressed(end.body, headers['content-encoding'], mostBytes);
      if (isTooCostly(body)) throw new Undecodable('too_large');
      return { kind: 'answered', response: new PlatformResponse(status, headers, body) };
    } catch (error) {
      if (!(error instanceof Undecodable)) throw error;
      if (isRefusal && error.reason === 'too_large') {
        return { kind: 'answered', response: new PlatformResponse(status, headers, Buffer.alloc(0)) };
      }
      return { kind: 'unknown', reason: error.reason, status };
    }
  }

  /** Closes all connections. Calls under way end as `unknown`, later ones as `not_sent`. */
  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async exchange(request: PlatformRequest, limits: CallLimits): Promise<ExchangeEnd> {
    const address = addressOf(request.url);
    if (address === undefined) return { kind: 'not_sent', reason: 'malformed' };
    const { signal } = request;
    const connecting = setTimeout(() => exchange.giveUp('deadline'), limits.connectMs);
    const deadline = setTimeout(() => exchange.giveUp('deadline'), limits.deadlineMs);
    const exchange = new Exchange(limits.mostBytes, () => clearTimeout(connecting));
    const abort = (): void => exchange.abort(signal.reason as Error); // Every abort has an Error as its reason.
    signal.addEventListener('abort', abort, { once: true });
    try {
      const { headersMs, bodyMs } = limits;
      this.agent.dispatch(
        {
          ...address,
          method: request.method,
          headers: headersOf(request),
          body: request.body === undefined ? null : textOf(request.body),
          headersTimeout: headersMs,
          bodyTimeout: bodyMs,
        },
        exchange,
      );
      return await exchange.end;
    } finally {
      clearTimeout(connecting);
      clearTimeout(deadline);
      signal.removeEventListener('abort', abort);
    }
  }
}

// The structural characters of JSON are ASCII, so the bytes are examined without being decoded.
function isTooCostly(body: Buffer): boolean {
  return exceededLimit(body.toString('latin1'), ANSWER_STRUCTURE) !== undefined;
}

function addressOf(url: string): { readonly origin: string; readonly path: string } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin, pathname, search } = new URL(url);
  return /^https?:$/.test(protocol) ? { origin, path: pathname + search } : undefined;
}

function headersOf({ headers, body }: PlatformRequest): Record<string, string> {
  return {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'construction-data-translation',
    ...(body !== undefined && { 'content-type': contentTypes[body.type] }),
    ...Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

const contentTypes: Readonly<Record<RequestBody['type'], string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

function textOf(body: RequestBody): string {
  return body.type === 'json' ? body.text : new URLSearchParams(body.fields).toString();
}
