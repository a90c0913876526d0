import { mappingOf, type PlatformName, type TargetReference } from '@app/mapper';
import type { LoadedObject } from '../loaded-object';

/** An object's native ID and key on a platform; undefined if the platform has no record of it. */
export function nativeReference(
  platform: PlatformName,
  object: LoadedObject | undefined,
): TargetReference | undefined {
  const copy = object?.copies.find((candidate) => candidate.platform === platform);
  if (object === undefined || copy === undefined) return undefined;
  const { data } = mappingOf(platform, object.entityType, { variant: copy.variant }).readOnce(
    copy.payload,
    copy,
  );
  return { id: copy.platformId, key: typeof data.number === 'string' ? data.number : undefined };
}
