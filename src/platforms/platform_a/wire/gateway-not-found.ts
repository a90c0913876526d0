import type { PlatformName } from '@app/mapper';
import { PlatformUnavailable } from '../../platform-error';
import type { PlatformResult } from '../../live/platform-result';

/**
 * The failure in a 404 that is not the platform's own; undefined for any other result. The platform refuses with a JSON
 * object, whatever the form of its errors. Any other body comes from a gateway, or from the server of a wrong address,
 * which know nothing about parts and records.
 */
export function gatewayNotFound(
  platform: PlatformName,
  result: PlatformResult,
): PlatformUnavailable | undefined {
  return isGatewayNotFound(result)
    ? new PlatformUnavailable(platform, 404, 'answers nonsense (404)')
    : undefined;
}

function isGatewayNotFound(result: PlatformResult): boolean {
  if (result.kind === 'not_sent') return false;
  if (result.kind === 'unknown') return result.status === 404;
  const { status, object } = result.response;
  return status === 404 && object === undefined;
}
