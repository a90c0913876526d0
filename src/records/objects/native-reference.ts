import { mappingOf, type PlatformName, type TargetReference } from '@app/mapper';
import type { LoadedObject } from '../loaded-object';

/** How a platform names an object; undefined when it has no record of it. */
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
