import { Injectable } from '@nestjs/common';
import { CredentialsService, type LiveCredentials } from '../credentials/credentials.service';
import { ApiError } from '../../common/errors/api-error';
import type { ConnectionName } from '../connector';
import { limiterKey } from './pacing/limiter-key';
import type { RequestToken } from './tokens/token';
import { TokenSource } from './tokens/token-source';
import type { TokenProvider } from './transport/authorized-client';
import type { RequestSender } from './transport/platform-client';
import { PlatformClients } from './transport/platform-clients';

/** How a platform's credentials are used. */
export interface AccessForm<Settings> {
  readonly settings: (credentials: Pick<LiveCredentials, 'settings'>) => Settings;
  /** The hosts that may see the token. */
  readonly addresses: (settings: Settings) => readonly string[];
  /** The values by which the platform counts calls. Connections with the same values share one rate limiter. */
  readonly countedBy: (settings: Settings) => readonly string[];
  /** @param bare sends calls without token */
  readonly tokenRequest: (bare: Pick<PlatformClients, 'bare'>, connection: ConnectionName) => RequestToken;
}

/** A connection whose settings are read. */
export interface OpenConnection<Settings> {
  readonly settings: Settings;
  /** Sends calls with a token, within the platform's limits. */
  readonly sender: RequestSender;
}

/**
 * Opens connections: reads their settings, and provides the token of each call. The secrets are decrypted only when one
 * is needed.
 */
@Injectable()
export class LiveAccess {
  constructor(
    private readonly clients: PlatformClients,
    private readonly tokens: TokenSource,
    private readonly credentials: CredentialsService,
  ) {}

  /**
   * Opens a client for the platform, without a call to it.
   *
   * @throws ApiError CONFLICT_ERROR for a connection without credentials
   */
  async open<Settings>(
    connection: ConnectionName,
    form: AccessForm<Settings>,
  ): Promise<OpenConnection<Settings>> {
    const { customerId, platform } = connection;
    const credentials = await this.credentials.show(customerId, platform);
    if (credentials === undefined) {
      throw new ApiError('CONFLICT_ERROR', `The connection to ${platform} has no credentials any more`);
    }
    const settings = form.settings(credentials);
    const request = form.tokenRequest(this.clients, connection);
    const opened = { ...connection, settings: credentials.settings };
    const provider: TokenProvider = {
      token: (signal) => this.tokens.token(opened, request, signal),
      renew: (refused, signal) => this.tokens.renew(opened, refused, request, signal),
    };
    const limiter = limiterKey(platform, form.countedBy(settings));
    const addresses = form.addresses(settings);
    return { settings, sender: this.clients.authorized(connection, provider, addresses, limiter) };
  }
}
