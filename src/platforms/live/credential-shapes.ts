import type { PlatformName } from '@app/mapper';
import type { CredentialShape } from './credential-shape';
import { platformACredentials } from '../platform_a/credentials';
import { platformBCredentials } from '../platform_b/credentials';

const shapes: ReadonlyMap<string, CredentialShape> = new Map(
  Object.entries({
    platform_a: platformACredentials,
    platform_b: platformBCredentials,
  } satisfies Record<PlatformName, CredentialShape>),
);

/** What a platform's credentials look like; undefined for one that has a sandbox only. */
export function credentialShapeOf(platform: PlatformName): CredentialShape | undefined {
  return shapes.get(platform);
}
