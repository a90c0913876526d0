import { hash } from 'node:crypto';
import type { PlatformName } from '@app/mapper';
import { withoutFinalSlashes } from '../../../runtime/config/web-address';

/** The key of a rate limiter. All connections that the platform counts as the same caller share one. */
export interface LimiterKey {
  readonly platform: PlatformName;
  /** A digest of the values by which the platform counts calls. */
  readonly credential: string;
}

/**
 * The key of the rate limiter of a credential.
 *
 * @param countedBy the values by which the platform counts calls, such as address and client ID; never a secret, since
 *   a new secret makes no new caller
 */
export function limiterKey(platform: PlatformName, countedBy: readonly string[]): LimiterKey {
  const text = JSON.stringify(countedBy);
  return { platform, credential: hash('sha256', text, 'base64url') };
}

/** An address in one spelling: lower-case host, no default port, no slash at its end. */
export function oneSpelling(address: string): string {
  return withoutFinalSlashes(new URL(address).href);
}
