import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { JsonObject } from '@app/mapper';
import { CredentialsService } from '../../credentials/credentials.service';
import { CredentialsGone, TokenStore } from '../../credentials/token-store';
import { ApiError } from '../../../common/errors/api-error';
import { DeadlineReached, withinDeadline } from '../../../runtime/clock/deadline';
import type { ConnectionName } from '../../connector';
import type { Token } from '../transport/authorized-client';
import { AccessToken, type RequestToken } from './token';
import { nameOf, TokenCache } from './token-cache';
import { TokenTimes } from './token-times';
import { usableToken } from './usable-token';
import { until } from './until';

/** A connection, and the settings that its calls are sent with: addresses and company. */
export interface OpenedConnection extends ConnectionName {
  readonly settings: JsonObject;
}

/**
 * Provides the access tokens of live connections. All instances share one token for each connection, and only one of
 * them at a time requests the next from the platform. Waiting holds neither a lock nor a database connection.
 */
@Injectable()
export class TokenSource implements BeforeApplicationShutdown {
  private readonly cache = new TokenCache();
  private readonly underWay = new Map<string, Promise<AccessToken>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly store: TokenStore,
    private readonly credentials: CredentialsService,
    private readonly times: TokenTimes,
  ) {}

  /**
   * Returns a usable token, which was given for the settings of the connection.
   *
   * @param request requests a token from the platform if there is no usable one
   * @param signal ends the caller's wait. A request under way continues for other callers
   * @throws ApiError EXTERNAL_SERVICE_ERROR when no token arrives in time, CONFLICT_ERROR when the connection has no
   *   credentials any more or has other settings by now; and errors of `request`
   */
  async token(connection: OpenedConnection, request: RequestToken, signal: AbortSignal): Promise<Token> {
    signal.throwIfAborted();
    const { platform, settings } = connection;
    const known = this.cache.find(connection);
    if (known?.isFor(settings)) return known;
    const token = await until(signal, this.obtain(connection, request));
    if (token.isFor(settings)) return token;
    throw new ApiError('CONFLICT_ERROR', `The connection to ${platform} was changed meanwhile; try again`);
  }

  /**
   * Returns a token in place of one that the platform refused. The refused token is deleted for all instances. If
   * another instance already has a later one, that one is returned.
   *
   * @throws as {@link token} does
   */
  async renew(
    connection: OpenedConnection,
    refused: Token,
    request: RequestToken,
    signal: AbortSignal,
  ): Promise<Token> {
    signal.throwIfAborted();
    await this.store.drop(connection, refused.generation);
    for (;;) {
      // Repeated in each round, because another caller of this process may have read the token just before it was
      // deleted.
      this.cache.drop(connection, refused.generation);
      const token = await this.token(connection, request, signal);
      if (token.generation !== refused.generation) return token;
    }
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort(new Error('The service stops'));
  }

  /** All callers of this instance share one search. */
  private obtain(connection: ConnectionName, request: RequestToken): Promise<AccessToken> {
    const name = nameOf(connection);
    const underWay = this.underWay.get(name);
    if (underWay !== undefined) return underWay;
    const obtained = this.search(connection, request).finally(() => this.underWay.delete(name));
    // All callers may have stopped waiting by the time it fails.
    obtained.catch(() => undefined);
    this.underWay.set(name, obtained);
    return obtained;
  }

  private async search(connection: ConnectionName, request: RequestToken): Promise<AccessToken> {
    const { platform } = connection;
    const deadline = performance.now() + this.times.maxWait;
    for (;;) {
      this.stopping.signal.throwIfAborted();
      const stored = await this.store.find(connection);
      if (stored !== undefined) return this.keep(connection, stored, stored.usableFor);
      const fresh = await this.refresh(connection, request);
      if (fresh !== undefined) return fresh;
      if (performance.now() > deadline) {
        throw new ApiError('EXTERNAL_SERVICE_ERROR', `${platform} gave no access token in time`);
      }
      // A random part keeps the instances apart.
      await sleep(this.times.poll * (0.5 + Math.random()), undefined, { signal: this.stopping.signal });
    }
  }

  /**
   * Requests a token from the platform; undefined if another instance does so or the credentials were changed
   * meanwhile.
   */
  private async refresh(connection: ConnectionName, request: RequestToken): Promise<AccessToken | undefined> {
    const holder = randomUUID();
    try {
      const claimed = await this.store.claim(connection, holder, this.times.lease);
      if (claimed === undefined) return undefined;
      return await this.ask(connection, holder, claimed.refreshToken, request);
    } catch (error) {
      // If this fails too, the lease expires.
      await this.store.release(connection, holder).catch(() => undefined);
      if (!(error instanceof CredentialsGone)) throw error;
      throw new ApiError(
        'CONFLICT_ERROR',
        `The connection to ${connection.platform} has no credentials any more`,
      );
    }
  }

  private async ask(
    connection: ConnectionName,
    holder: string,
    refreshToken: string | undefined,
    request: RequestToken,
  ): Promise<AccessToken | undefined> {
    const { customerId, platform } = connection;
    const credentials = await this.credentials.find(customerId, platform);
    if (credentials === undefined) throw new CredentialsGone();
    const began = performance.now();
    const answer = await withinDeadline(this.times.request, [this.stopping.signal], (signal) =>
      until(signal, request(credentials, signal, refreshToken)),
    ).catch((cause: unknown) => {
      if (!(cause instanceof DeadlineReached)) throw cause;
      throw new ApiError('EXTERNAL_SERVICE_ERROR', `${platform} gave no access token in time`, { cause });
    });
    const token = usableToken(
      platform,
      // A platform that returns no new refresh token continues to accept the old one.
      { ...answer, refreshToken: answer.refreshToken ?? refreshToken },
      performance.now() - began,
      this.times.margin,
    );
    // Stored before its first use, because a lost refresh token cannot be recovered.
    const generation = await this.store.save(connection, holder, token);
    if (generation === undefined) return undefined;
    const { settings } = credentials;
    return this.keep(connection, { value: token.accessToken, generation, settings }, token.usableFor);
  }

  private keep(
    connection: ConnectionName,
    { value, generation, settings }: Token & Pick<OpenedConnection, 'settings'>,
    usableFor: number,
  ): AccessToken {
    const token = new AccessToken(value, generation, settings);
    this.cache.keep(connection, token, Math.min(usableFor, this.times.cache));
    return token;
  }
}
