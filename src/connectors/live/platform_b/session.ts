import type { PlatformRequest } from '../transport/platform-request';
import type { PlatformResult } from '../transport/platform-result';
import type { Sender } from '../transport/platform-client';
import type { PlatformBSettings } from './credentials';

/** Of every call. Messages and the form of dates and numbers in them follow the language. */
const usualHeaders: Readonly<Record<string, string>> = {
  accept: 'application/json',
  'accept-language': 'en-US',
};

/** How many calls something took, repeated ones included, and how many of them were refused because of a limit. */
export interface CallCount {
  readonly calls: number;
  readonly limited: number;
}

/** One customer's connection to the platform, opened: where it is, and a way to call it. */
export class Session {
  private count: CallCount = { calls: 0, limited: 0 };

  /** @param sender adds the token, and passes the gate */
  constructor(
    readonly settings: PlatformBSettings,
    private readonly sender: Sender,
  ) {}

  /**
   * Sends a call.
   *
   * @throws the signal's reason when it aborts; ApiError when there is no token; and what the gate throws
   */
  send(request: PlatformRequest): Promise<PlatformResult> {
    return this.sender.send({
      ...request,
      headers: { ...usualHeaders, ...request.headers },
      attempted: (attempt) => this.counted(attempt),
    });
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
