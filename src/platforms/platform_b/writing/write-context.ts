import { stringifyJson, type JsonObject } from '@app/mapper';
import type { WriteCommand } from '../../connector';
import type { Deferred } from '../../live/writing/send-result';
import type { Session } from '../session';
import { reasonOf, retryTime } from './calls/retry-time';
import { sendResultOf, type SendResult } from './calls/send-result';

/** Everything that sending one command needs. */
export interface WriteContext {
  readonly session: Session;
  /** Without what only the platform writes. */
  readonly command: WriteCommand;
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

/** One writing call. */
export interface WriteRequest {
  readonly method: 'POST' | 'PATCH';
  readonly url: string;
  readonly body: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends one writing call once and classifies its response. Failures of the platform or the network are results, not
 * exceptions.
 */
export async function sendWrite(
  { session, signal, now }: WriteContext,
  { method, url, body, headers = {} }: WriteRequest,
): Promise<SendResult> {
  try {
    const text = stringifyJson(body);
    const result = await session.send({
      kind: 'write',
      method,
      url,
      headers,
      body: { type: 'json', text },
      signal,
    });
    return sendResultOf(result, now());
  } catch (error) {
    // The request may be on its way.
    if (signal.aborted) return { status: 'uncertain' };
    // Without a token or a permit of the rate limiter nothing was sent.
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return deferred(now(), reason);
  }
}

/** A write that is sent again soon. */
export function deferred(now: Date, reason: string): Deferred {
  return { status: 'deferred', until: retryTime(now), reason };
}
