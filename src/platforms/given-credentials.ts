import { parseJsonText, type JsonValue, type PlatformName } from '@app/mapper';
import { ApiError, invalidInput } from '../common/errors/api-error';
import { credentialsIn, type GivenCredentials } from './live/credential-shape';
import { eachLivePlatform } from './live-platforms';

export type { GivenCredentials };

/**
 * Reads a platform's credentials from JSON text.
 *
 * @throws ApiError VALIDATION_ERROR that names what is wrong and repeats no value; CONFLICT_ERROR for a platform without
 *   live connections
 */
export function readCredentials(platform: PlatformName, text: string): GivenCredentials {
  const live = new Map(eachLivePlatform()).get(platform);
  if (live === undefined) throw new ApiError('CONFLICT_ERROR', `${platform} has a sandbox only`);
  return credentialsIn(live.credentials, jsonIn(text));
}

function jsonIn(text: string): JsonValue {
  try {
    return parseJsonText(text);
  } catch {
    // Without the cause: the engine's message quotes the text, which may hold a secret.
    throw invalidInput(['the credentials are not JSON']);
  }
}
