import type { PlatformRequest } from '../live/transport/platform-request';
import type { PlatformResult } from '../live/transport/platform-result';
import type { RequestSender } from '../live/transport/platform-client';
import type { PlatformBSettings } from './credentials';

/** Of every call. Messages and the form of dates and numbers in them follow the language. */
const usualHeaders: Readonly<Record<string, string>> = {
  accept: 'application/json',
  'accept-language': 'en-US',
};

/** At an answer of success that is not JSON. */
const MOST_ATTEMPTS = 3;

/** How many calls something took, repeated ones included, and how many of them were refused because of a limit. */
export interface CallCount {
  readonly calls: number;
  readonly limited: number;
}

/** One customer's connection to the platform, opened: where it is, and a way to call it. */
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
   * Reads an address that answers in JSON. An answer of success that is none, such as one that was cut on its way, is asked
   * for again a few times.
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

  /** The calls since this was asked last. */
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
