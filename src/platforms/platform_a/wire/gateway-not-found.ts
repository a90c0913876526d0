import type { PlatformResult } from '../../live/platform-result';

/**
 * Whether a 404 is not the platform's own. The platform refuses with a JSON object, whatever the form of its errors. Any
 * other body comes from a gateway or from the server of a wrong address, which know nothing about parts and records.
 */
export function isGatewayNotFound(result: PlatformResult): boolean {
  if (result.kind === 'not_sent') return false;
  if (result.kind === 'unknown') return result.status === 404;
  const { status, object } = result.response;
  return status === 404 && object === undefined;
}
