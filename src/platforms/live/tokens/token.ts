import { inspect } from 'node:util';
import { sameJson, type JsonObject } from '@app/mapper';
import type { LiveCredentials } from '../../credentials/credentials.service';
import type { Token } from '../transport/authorized-client';

/** The response of a platform's token endpoint. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
  readonly refreshToken?: string | undefined;
}

/**
 * Requests a token from a platform over HTTP. Its errors reach every caller that waits for the token; they contain no
 * secret.
 *
 * @param refreshToken from the previous response, if there was one. The platform may have used it up already
 */
export type RequestToken = (
  credentials: LiveCredentials,
  signal: AbortSignal,
  refreshToken?: string,
) => Promise<TokenResponse>;

/** A token that shows its generation and nothing else, however it is printed. */
export class AccessToken implements Token {
  readonly #value: string;
  readonly #settings: JsonObject;

  /** @param settings those that it was requested with */
  constructor(
    value: string,
    readonly generation: number,
    settings: JsonObject,
  ) {
    this.#value = value;
    this.#settings = settings;
  }

  get value(): string {
    return this.#value;
  }

  /** Whether calls that are sent with these settings may carry it: others may lead to another company or host. */
  isFor(settings: JsonObject): boolean {
    return sameJson(this.#settings, settings);
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
