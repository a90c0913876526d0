import { isJsonObject, ownMember } from '@app/mapper';
import { PlatformRefused, PlatformUnavailable } from '../platform-error';
import type { RequestToken } from '../live/tokens/token';
import type { RequestSender } from '../live/transport/platform-client';
import { platformErrorOf } from '../live/transport/result-error';
import { platformBSettings } from './credentials';

/** What a token is asked for where the credentials name nothing else. */
const SCOPE = 'https://api.businesscentral.dynamics.com/.default';

/** The source waits no longer than this, in milliseconds. */
const DEADLINE = 20_000;

/**
 * Requests a token with the application's own credentials. There is no refresh token; the service requests a new token
 * instead. Requesting twice does no harm, so the request is retried like a read.
 *
 * @param sender one without a rate limiter, because tokens have a host and limits of their own
 * @returns a function that throws PlatformRefused when the credentials are refused, and PlatformUnavailable when there
 *   is no valid response
 */
export function tokenRequest(sender: RequestSender): RequestToken {
  return async (credentials, signal) => {
    const { token_url, client_id, scope } = platformBSettings(credentials);
    const result = await sender.send({
      kind: 'read',
      method: 'POST',
      url: token_url,
      body: {
        type: 'form',
        fields: {
          grant_type: 'client_credentials',
          client_id,
          client_secret: credentials.secrets.reveal('client_secret'),
          scope: scope ?? SCOPE,
        },
      },
      limits: { deadlineMs: DEADLINE, headersMs: DEADLINE, mostBytes: 1024 * 1024 },
      signal,
    });
    if (result.kind !== 'answered') throw platformErrorOf('platform_b', result);
    const { response } = result;
    if (response.status === 400 || response.status === 401) {
      throw new PlatformRefused(
        'platform_b',
        response.status,
        `refused the credentials (${response.status})`,
      );
    }
    const json = response.json();
    if (!response.ok || json.kind !== 'json' || !isJsonObject(json.value)) {
      throw platformErrorOf('platform_b', result);
    }
    const accessToken = ownMember(json.value, 'access_token');
    const expiresIn = Number(ownMember(json.value, 'expires_in'));
    if (typeof accessToken !== 'string' || !(expiresIn > 0)) {
      throw new PlatformUnavailable('platform_b', response.status, 'answered without a usable access token');
    }
    return { accessToken, expiresInSeconds: expiresIn };
  };
}
