import { ownMember, stringifyJson } from '@app/mapper';
import type { ConnectionName } from '../../connector';
import { PlatformRefused, PlatformUnavailable } from '../../platform-error';
import type { RequestToken } from '../../live/tokens/token';
import type { PlatformClients } from '../../live/transport/platform-clients';
import type { PlatformResult } from '../../live/platform-result';
import { platformErrorOf } from '../../live/transport/result-error';
import { platformASettings } from '../credentials';

/** Statuses with which the login host refuses unknown credentials. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403]);

/**
 * The request for a token of a connection, with the ID and secret of a service account. There is no refresh token. A
 * repeated request gives another token and revokes none, so it may be repeated like a read.
 */
export function tokenRequestOf(
  clients: Pick<PlatformClients, 'bare'>,
  connection: ConnectionName,
): RequestToken {
  const { platform } = connection;
  return async (credentials, signal) => {
    const { login_url: login, client_id: clientId } = platformASettings(credentials);
    const text = stringifyJson({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: credentials.secrets.reveal('client_secret'),
    });
    const result = await clients.bare(connection).send({
      kind: 'read',
      method: 'POST',
      url: `${login}/oauth/token`,
      headers: { accept: 'application/json' },
      body: { type: 'json', text },
      limits: { deadlineMs: 18_000, headersMs: 10_000, bodyMs: 5_000 },
      signal,
    });
    if (result.kind !== 'answered' || !result.response.ok) {
      const status = statusOf(result);
      if (status === undefined || !refusals.has(status)) throw platformErrorOf(platform, result);
      throw new PlatformRefused(platform, status, `refused the credentials (${status})`);
    }
    const body = result.response.object ?? {};
    const accessToken = ownMember(body, 'access_token');
    const expiresInSeconds = ownMember(body, 'expires_in');
    if (typeof accessToken !== 'string' || typeof expiresInSeconds !== 'number') {
      throw new PlatformUnavailable(platform, result.response.status, 'gave no access token');
    }
    return { accessToken, expiresInSeconds };
  };
}

function statusOf(result: PlatformResult): number | undefined {
  if (result.kind === 'answered') return result.response.status;
  return result.kind === 'unknown' ? result.status : undefined;
}
