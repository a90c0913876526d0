import { inspect } from 'node:util';
import type { LiveCredentials } from '../../credentials/credentials.service';
import type { Token } from '../transport/authorized-client';

/** What a platform's token endpoint answers. */
export interface TokenAnswer {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken?: string | undefined;
}

/**
 * Asks a platform for a token, over HTTP. Errors that it throws reach all who wait for the token; they name no secret.
 *
 * @param refreshToken from the answer before, where there was one. The platform may have used it up already
 */
export type RequestToken = (
  credentials: LiveCredentials,
  signal: AbortSignal,
  refreshToken?: string,
) => Promise<TokenAnswer>;

/** A token that shows its generation and nothing else, however it is printed. */
export class AccessToken implements Token {
  readonly #value: string;

  constructor(
    value: string,
    readonly generation: number,
  ) {
    this.#value = value;
  }

  get value(): string {
    return this.#value;
  }

  toString(): string {
    return `[token ${this.generation}]`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}
