import type { PlatformRequest } from '../platform-request';
import type { NotSent, PlatformResult } from '../platform-result';
import { unsentWrite, type RequestSender } from './platform-client';

/** An access token. */
export interface Token {
  /** What goes into the `Authorization` header; nowhere else. */
  readonly value: string;
  /** Grows with each token of a connection. */
  readonly generation: number;
}

/** Provides the tokens of one connection. */
export interface TokenProvider {
  /** Returns the present token, and requests one if there is none. */
  token(signal: AbortSignal): Promise<Token>;
  /** Returns a token other than the refused one. */
  renew(refused: Token, signal: AbortSignal): Promise<Token>;
}

/**
 * Sends calls with a token. The token is sent only to the platform's own hosts, even if a link of the platform points
 * elsewhere.
 */
export class AuthorizedClient implements RequestSender {
  private readonly origins: ReadonlySet<string>;

  /** @param addresses of the platform; each names a host that may see the token */
  constructor(
    private readonly sender: RequestSender,
    private readonly tokens: TokenProvider,
    addresses: readonly string[],
  ) {
    this.origins = new Set(addresses.map((address) => new URL(address).origin));
  }

  /**
   * As {@link RequestSender.send}. A 401 means that nothing happened, so the call is repeated once with a new token,
   * even a write. A second 401 is the result.
   *
   * @throws also errors of the token provider
   */
  async send(request: PlatformRequest): Promise<PlatformResult> {
    if (!this.isOwn(request.url)) return { kind: 'not_sent', reason: 'foreign_address' };
    const token = await this.tokenFor(request, () => this.tokens.token(request.signal));
    if ('kind' in token) return token;
    const result = await this.sender.send(withToken(request, token));
    if (result.kind !== 'answered' || result.response.status !== 401) return result;
    const renewed = await this.tokenFor(request, () => this.tokens.renew(token, request.signal));
    if ('kind' in renewed) return renewed;
    return this.sender.send(withToken(request, renewed));
  }

  private async tokenFor(request: PlatformRequest, find: () => Promise<Token>): Promise<Token | NotSent> {
    try {
      return await find();
    } catch (error) {
      const unsent = unsentWrite(request);
      if (unsent !== undefined) return unsent;
      throw error;
    }
  }

  private isOwn(url: string): boolean {
    return URL.canParse(url) && this.origins.has(new URL(url).origin);
  }
}

function withToken(request: PlatformRequest, { value }: Token): PlatformRequest {
  const others = Object.entries(request.headers ?? {}).filter(
    ([name]) => name.toLowerCase() !== 'authorization',
  );
  return { ...request, headers: { ...Object.fromEntries(others), authorization: `Bearer ${value}` } };
}
