import { createHash } from 'node:crypto';
import type { PlatformName } from '@app/mapper';

/** Which rate limiter: all who are known to the platform as the same caller share one. */
export interface LimiterKey {
  readonly platform: PlatformName;
  /** A digest of what the platform counts calls by. */
  readonly credential: string;
}

/**
 * The rate limiter of a credential.
 *
 * @param countedBy what the platform counts calls by, such as address and client ID; no secret, since a new secret is no
 *   new caller
 */
export function limiterKey(platform: PlatformName, countedBy: readonly string[]): LimiterKey {
  const text = JSON.stringify(countedBy);
  return { platform, credential: createHash('sha256').update(text).digest('base64url') };
}

/** An address in one spelling: hosts have no case, and a usual port says nothing. */
export function oneSpelling(address: string): string {
  return new URL(address).href.replace(/(?<!\/)\/+$/, '');
}
