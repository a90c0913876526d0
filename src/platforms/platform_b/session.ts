import type { PlatformRequest } from '../live/platform-request';
import type { PlatformResult } from '../live/platform-result';
import type { RequestSender } from '../live/transport/platform-client';
import type { PlatformBSettings } from './credentials';

/** Of every call. Messages and the form of dates and numbers in them follow the language. */
const usualHeaders: Readonly<Record<string, string>> = {
  accept: 'application/json',
  'accept-language': 'en-US',
};

/** Attempts at a successful response that is not JSON. */
const MOST_ATTEMPTS = 3;

/** The number of calls, repeated ones included, and of those refused because of a rate limit. */
export interface CallCount {
  readonly calls: number;
  readonly limited: number;
}

/** An open connection of one customer to the platform: its address and its sender. */
export class Session {
  private count: CallCount = { calls: 0, limited: 0 };

  /** @param sender adds the token, and passes the rate limiter */
  constructor(
    readonly settings: PlatformBSettings,
    private readonly sender: RequestSender,
  ) {}

  /**
   * Sends a call.
   *
   * @throws the signal's reason when it aborts; ApiError when there is no token; and what the rate limiter throws
   */
  send(request: PlatformRequest): Promise<PlatformResult> {
    return this.sender.send({
      ...request,
      headers: { ...usualHeaders, ...request.headers },
      attempted: (attempt) => this.counted(attempt),
    });
  }

  /**
   * Reads an address that returns JSON. A 2xx response without the expected body, such as one that was cut off, is
   * retried a few times.
   *
   * @throws as {@link send} does
   */
  async read(
    url: string,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PlatformResult> {
    for (let attempts = 1; ; attempts += 1) {
      const result = await this.send({ kind: 'read', method: 'GET', url, headers, signal });
      const isWhole =
        result.kind !== 'answered' || !result.response.ok || result.response.json().kind === 'json';
      if (isWhole || attempts >= MOST_ATTEMPTS) return result;
    }
  }

  /** The calls since the last time this was read. */
  takeCount(): CallCount {
    const { count } = this;
    this.count = { calls: 0, limited: 0 };
    return count;
  }

  private counted(attempt: PlatformResult): void {
    const isLimited = attempt.kind === 'answered' && attempt.response.status === 429;
    this.count = { calls: this.count.calls + 1, limited: this.count.limited + (isLimited ? 1 : 0) };
  }
}
