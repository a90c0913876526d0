import type { PlatformRequest } from './platform-request';
import type { PlatformResult } from './platform-result';
import type { RequestSender } from './platform-client';

/** A bearer token. */
export interface Token {
  readonly value: string;
  /** Grows with each token of its connection. */
  readonly generation: number;
}

/** Where the tokens of one connection come from. */
export interface TokenProvider {
  /** The token in force; fetched if there is none. */
  token(signal: AbortSignal): Promise<Token>;
  /** A token other than the one that was refused. */
  renew(refused: Token, signal: AbortSignal): Promise<Token>;
}

/** Calls with a token. It is sent to the platform's own hosts only, wherever a link of the platform may lead. */
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
   * As {@link RequestSender.send}. A 401 means that nothing happened: the call, a write as well, is made once more with a new
   * token. A second 401 is the result.
   *
   * @throws also what the provider of tokens throws
   */
  async send(request: PlatformRequest): Promise<PlatformResult> {
    if (!this.isOwn(request.url)) return { kind: 'not_sent', reason: 'foreign_address' };
    const token = await this.tokens.token(request.signal);
    const result = await this.sender.send(withToken(request, token));
    if (result.kind !== 'answered' || result.response.status !== 401) return result;
    const renewed = await this.tokens.renew(token, request.signal);
    return this.sender.send(withToken(request, renewed));
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
