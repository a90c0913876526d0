import { ConnectionFailed, RequestAborted } from './errors';
import { delayBefore, mayPass, readRetryAfter, type RetryPolicy } from './retry';

/** How a request is sent. */
export interface Transport {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly retries: RetryPolicy;
  /** Milliseconds that one attempt may take, its body included. */
  readonly timeout: number;
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** What a transport uses by default. */
export const standardTransport: Pick<Transport, 'fetch' | 'wait'> = {
  fetch: (request) => fetch(request),
  wait: pause,
};

/** Resolves after a time, or rejects with the reason of the signal as soon as that aborts. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error); // What the caller aborts with; an AbortError unless the caller chooses.
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Sends a request, again where that is allowed and may help, and reads the answer whole.
 *
 * @param signal ends the call. The request has none of its own, because Node 20 may forget it as soon as it collects
 *   garbage
 * @param repeatable whether sending it twice does no harm
 * @throws RequestAborted, ConnectionFailed
 */
export async function send(
  transport: Transport,
  request: Request,
  signal: AbortSignal,
  requestId: string,
  repeatable: boolean,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await tryOnce(transport, request.clone(), signal, requestId);
    const failed = outcome instanceof ConnectionFailed;
    const asked = failed ? undefined : readRetryAfter(outcome.headers.get('retry-after'), Date.now());
    if (!repeatable || (!failed && !mayPass(outcome.status, asked))) return given(outcome);
    const delay = delayBefore(transport.retries, attempt, asked, Math.random());
    if (delay === undefined) return given(outcome);
    try {
      await transport.wait(delay, signal);
    } catch (cause) {
      throw new RequestAborted(false, requestId, cause);
    }
  }
}

function given(outcome: Response | ConnectionFailed): Response {
  if (outcome instanceof ConnectionFailed) throw outcome;
  return outcome;
}

async function tryOnce(
  { fetch, timeout }: Transport,
  request: Request,
  signal: AbortSignal,
  requestId: string,
): Promise<Response | ConnectionFailed> {
  const end = new AbortController();
  let timedOut = false;
  const ended = new Promise<never>((_resolve, reject) => {
    end.signal.addEventListener('abort', () => reject(end.signal.reason as Error)); // As in `pause`.
  });
  const timer = setTimeout(() => {
    timedOut = true;
    end.abort(new DOMException('There was no answer in time', 'TimeoutError'));
  }, timeout);
  const abort = (): void => end.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    // For the same reason the end does not depend on what `fetch` makes of the signal.
    return await Promise.race([ended, answerTo(fetch, new Request(request, { signal: end.signal }))]);
  } catch (cause) {
    if (signal.aborted) throw new RequestAborted(false, requestId, cause);
    if (timedOut) throw new RequestAborted(true, requestId, cause);
    return new ConnectionFailed(requestId, cause);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

async function answerTo(fetch: Transport['fetch'], request: Request): Promise<Response> {
  const response = await fetch(request);
  // Read here, so that the time limit and a connection that breaks count for the body as well.
  const body = await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}
