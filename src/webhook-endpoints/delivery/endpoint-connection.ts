import { Agent, type Dispatcher } from 'undici';
import { DeadlineReached, withinDeadline } from '../../runtime/clock/deadline';
import type { CheckedAddress } from '../address/endpoint-addresses';
import type { DeliveryTimes } from './delivery-times';

/** Deliveries of one endpoint that are under way at a time, each over a connection of its own. */
export const MOST_AT_ONCE = 4;

/** Bytes of a response that are kept. The rest is not read. */
const KEPT_BYTES = 1_024;

/** Bytes of the headers of a response. */
const MOST_HEADER_BYTES = 16 * 1024;

/** A response, or why there is none. */
export interface EndpointResponse {
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** Connections to the IP addresses of an endpoint that were checked, and to no others. Redirects are not followed. */
export class EndpointConnection {
  private readonly agent: Agent;

  constructor(
    private readonly address: CheckedAddress,
    private readonly times: DeliveryTimes,
  ) {
    const [first] = address.addresses;
    this.agent = new Agent({
      connections: MOST_AT_ONCE,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MOST_HEADER_BYTES,
      connect: {
        timeout: times.attempt,
        // The name is not resolved again: the next answer could lead to another address than the checked one.
        lookup: (_host, { all }, found) => {
          if (first === undefined) found(new Error('There is no address'), '', 0);
          else if (all === true) found(null, [...address.addresses]);
          else found(null, first.address, first.family);
        },
      },
    });
  }

  /**
   * Sends a body once.
   *
   * @throws the reason of the signal when that aborts, and nothing else
   */
  async post(
    headers: Readonly<Record<string, string>>,
    body: string,
    stop: AbortSignal,
  ): Promise<EndpointResponse> {
    try {
      return await withinDeadline(this.times.attempt, [stop], (signal) => this.send(headers, body, signal));
    } catch (error) {
      stop.throwIfAborted();
      return { status: null, error: reasonOf(error, this.times.attempt), response: null };
    }
  }

  /** Ends all connections. */
  close(): Promise<void> {
    return this.agent.destroy();
  }

  private async send(
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<EndpointResponse> {
    const { origin, pathname, search } = this.address.url;
    const { statusCode, body: response } = await this.agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'user-agent': 'construction-data-translation',
        'accept-encoding': 'identity',
      },
      body,
      signal,
    });
    const error = statusCode >= 300 && statusCode < 400 ? 'Redirects are not followed' : null;
    return { status: statusCode, error, response: await beginOf(response, this.times.body) };
  }
}

/**
 * The begin of a response as text that the database can store. A response that is too slow, or breaks, is cut there.
 */
async function beginOf(body: Dispatcher.ResponseData['body'], limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // A body that is left unread reports that it was.
  body.on('error', () => undefined);
  const end = setTimeout(() => body.destroy(), limit);
  try {
    for await (const chunk of body) {
      if (!Buffer.isBuffer(chunk)) break;
      chunks.push(chunk);
      length += chunk.length;
      if (length >= KEPT_BYTES) break;
    }
  } catch {
    // The status in its head has already said whether the endpoint received the event.
  } finally {
    clearTimeout(end);
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString('utf8').replaceAll('\0', '\uFFFD');
}

function reasonOf(error: unknown, limit: number): string {
  const isTimeout = error instanceof DeadlineReached;
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (isTimeout || code === 'UND_ERR_CONNECT_TIMEOUT') return `No response within ${limit / 1_000} s`;
  if (code === 'ECONNREFUSED') return 'The connection was refused';
  return typeof code === 'string' ? `The connection failed (${code})` : 'The connection failed';
}
