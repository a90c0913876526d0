import { createHash } from 'node:crypto';
import type { PlatformName } from '@app/mapper';

/** Which gate: all who are known to the platform as the same caller share one. */
export interface GateName {
  readonly platform: PlatformName;
  /** A digest of what the platform counts calls by. */
  readonly credential: string;
}

/**
 * The gate of a credential.
 *
 * @param countedBy what the platform counts calls by, such as address and client ID; no secret, since a new secret is no
 *   new caller
 */
export function gateName(platform: PlatformName, countedBy: readonly string[]): GateName {
  const text = JSON.stringify(countedBy);
  return { platform, credential: createHash('sha256').update(text).digest('base64url') };
}

/** An address in one spelling: hosts have no case, and a usual port says nothing. */
export function oneSpelling(address: string): string {
  return new URL(address).href.replace(/(?<!\/)\/+$/, '');
}
