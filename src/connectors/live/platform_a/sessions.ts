import type { CredentialsService } from '../../../credentials/credentials.service';
import { ApiError } from '../../../errors/api-error';
import type { ConnectionName } from '../../connector';
import type { TokenSource } from '../tokens/token-source';
import type { PlatformClients } from '../transport/platform-clients';
import { platformASettings } from './credentials';
import { Session } from './wire/session';
import { tokenRequestOf } from './wire/token-request';

/** Opens sessions of connections. */
export class Sessions {
  constructor(
    private readonly clients: PlatformClients,
    private readonly tokens: TokenSource,
    private readonly credentials: CredentialsService,
  ) {}

  /**
   * A session of a connection. It asks the platform nothing yet.
   *
   * @throws ApiError CONFLICT_ERROR for a connection without credentials
   */
  async open({ customerId, platform }: ConnectionName, signal: AbortSignal): Promise<Session> {
    const shown = await this.credentials.show(customerId, platform);
    if (shown === undefined) {
      throw new ApiError('CONFLICT_ERROR', `The connection to ${platform} has no credentials any more`);
    }
    const connection = { customerId, platform };
    const settings = platformASettings(shown);
    const request = tokenRequestOf(this.clients, connection);
    const sender = this.clients.authorized(
      connection,
      {
        token: (ends) => this.tokens.token(connection, request, ends),
        renew: (refused, ends) => this.tokens.renew(connection, refused, request, ends),
      },
      [settings.api_url],
    );
    return new Session(connection, settings, sender, signal);
  }
}
