import type { PlatformName } from '@app/mapper';
import type { NewToken } from '../../credentials/token-store';
import { ApiError } from '../../../common/errors/api-error';
import type { TokenResponse } from './token';

/** What fits into a header. Platforms' tokens have some thousand characters at most. */
const form = /^[\x21-\x7e]{1,16384}$/;

/** Thirty days, in milliseconds. */
const LONGEST = 30 * 86_400_000;

/**
 * The token to store. The service stops using it a little before it expires.
 *
 * @param elapsed milliseconds since the request for the token was sent; its lifetime may have begun then
 * @param margin milliseconds, at most, before the end of its lifetime
 * @throws ApiError EXTERNAL_SERVICE_ERROR if the response holds no usable token
 */
export function usableToken(
  platform: PlatformName,
  { accessToken, expiresInSeconds, refreshToken }: TokenResponse,
  elapsed: number,
  margin: number,
): NewToken {
  const life = expiresInSeconds * 1_000;
  const whole = form.test(accessToken) && (refreshToken === undefined || form.test(refreshToken));
  if (!whole || !(life > 0)) {
    throw new ApiError('EXTERNAL_SERVICE_ERROR', `${platform} answered without a usable access token`);
  }
  const use = Math.min(life, LONGEST) - Math.min(margin, life / 10) - elapsed;
  // A token that is about to expire can be used once.
  return { accessToken, refreshToken, usableFor: Math.max(Math.floor(use), 1) };
}
